"""The words of an answer can be redacted, once the audit trail says so; the trail itself holds no reasons in people's words."""

from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Reasons leave the trail, and stay with the items."""
    op.execute("UPDATE studio_events SET details = '{}' WHERE kind IN ('item.done', 'item.dropped')")
