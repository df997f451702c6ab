// One task, one window: the second one says so and waits, so that nobody answers twice or types over themselves.

export function oneWindow(name, notice, hold) {
  if (!("BroadcastChannel" in window)) return;
  const channel = new BroadcastChannel(`folkways ${name}`);
  const me = crypto.getRandomValues(new Uint32Array(2)).join("-");
  let held = false;
  const wait = () => {
    held = true;
    notice.hidden = false;
    hold();
  };
  channel.addEventListener("message", ({ data }) => {
    if (data.from === me) return;
    if (data.kind === "hello" && !held) channel.postMessage({ kind: "here", from: me, to: data.from });
    if (data.kind === "here" && data.to === me) wait();
    if (data.kind === "take" && !held) wait();
  });
  notice.querySelector("button").addEventListener("click", () => {
    channel.postMessage({ kind: "take", from: me });
    location.reload(); // with what the other window has saved
  });
  addEventListener("pagehide", () => channel.close());
  channel.postMessage({ kind: "hello", from: me });
}
