"""What is sent to routes of the API."""

from __future__ import annotations

from typing import Any

BODIES: dict[str, dict[str, Any]] = {
    "/studies": {"definition": {}},
    "/studies/{study}/state": {"state": "open"},
    "/studies/{study}/items": {"stage": "no-such-stage", "rows": [{"question": "?"}]},
    "/studies/{study}/suggestions": {
        "stage": "no-such",
        "suggestions": [{"item": 1, "model": "m", "answer": 1}],
    },
    "/studies/{study}/items/{item}/decisions": {"reason": "because", "answer": {"choices": ["9"]}},
    "/studies/{study}/judgements/{judgement}/redactions": {"fields": ["no-such-field"]},
    "/studies/{study}/assignments": {"rows": [{"item": "no-such-item", "person": "nobody"}]},
    "/studies/{study}/assignments/rule": {"stage": "no-such-stage"},
    "/studies/{study}/draws": {"stage": "verify", "run": "no-such-run"},
    "/studies/{study}/invites": {"population": "nowhere"},
    "/studies/{study}/members": {"login": "nobody", "role": "reviewer"},
    "/studies/{study}/webhooks": {"url": "nowhere"},
    "/studies/{study}/suggestion-jobs": {"stage": "verify"},
    "/studies/{study}/ml-backends": {"stage": "verify", "model": "m", "url": "nowhere"},
    "/studies/{study}/ml-backends/{backend}/jobs": {"work": "predict"},
    "/studies/{study}/participants/{person}/waiver": {"reason": "a good one"},
    "/studies/{study}/participants/{person}/admission": {"let_in": True},
    "/studies/{study}/participants/{person}/exclusion": {"reason": "a good one"},
    "/studies/{study}/participants/{person}/hand-out": {"stage": "no-such-stage"},
    "/studies/{study}/participants/{person}/take-in": {"rows": [{"assignment": "x"}]},
}
"""Bodies with which whoever is allowed to is still told what is wrong, so that nothing changes."""
