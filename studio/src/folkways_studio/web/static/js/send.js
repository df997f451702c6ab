// Requests of a task. Each resolves to {status, body}; status 0 means that the server could not be reached. A request that the
// person gave up by ``signal`` has status "cancelled".

export async function post(url, fields, { keepalive = false, signal = undefined } = {}) {
  try {
    const response = await fetch(url, {
      method: "POST",
      body: new URLSearchParams(fields),
      headers: { Accept: "application/json" },
      credentials: "same-origin",
      redirect: "error",
      keepalive,
      signal,
    });
    const json = (response.headers.get("content-type") || "").startsWith("application/json");
    return { status: response.status, body: json ? await response.json() : {} };
  } catch {
    return { status: signal?.aborted ? "cancelled" : 0, body: {} };
  }
}

// A server that is restarting, or a proxy in front of it that finds nobody: as good as no connection.
export const unreachable = (answer) => answer.status === 0 || answer.status === 502 || answer.status === 503 || answer.status === 504;

// FormData as pairs of strings; files are never part of a task.
export const fieldsOf = (form) => [...new FormData(form)].filter(([, value]) => typeof value === "string");

const NOT_YET = new Set([401, 403, 429]); // until there is a session, or less haste

// An answer that tells nothing of what was sent: that may be on the server all the same, and is sent again.
export const undecided = ({ status }) => status === 0 || status >= 500 || NOT_YET.has(status);
