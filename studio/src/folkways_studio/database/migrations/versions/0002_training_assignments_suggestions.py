"""What came to 0001 after databases had been made of it: each has a part of this."""

import sqlalchemy as sa
from alembic import op

from folkways.sdk.workspace import Json

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create what is missing."""
    op.create_table(
        "studio_allocations",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["study_id"], ["studio_studies.id"], name=op.f("fk_studio_allocations_study_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_studio_allocations")),
        if_not_exists=True,
    )
    op.create_index(
        op.f("ix_studio_allocations_study_id"),
        "studio_allocations",
        ["study_id"],
        unique=False,
        if_not_exists=True,
    )
    op.create_table(
        "studio_assignees",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("allocation_id", sa.Integer(), nullable=False),
        sa.Column("participant_id", sa.Integer(), nullable=True),
        sa.Column("population_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["allocation_id"], ["studio_allocations.id"], name=op.f("fk_studio_assignees_allocation_id")
        ),
        sa.ForeignKeyConstraint(
            ["participant_id"], ["studio_participants.id"], name=op.f("fk_studio_assignees_participant_id")
        ),
        sa.ForeignKeyConstraint(
            ["population_id"], ["studio_populations.id"], name=op.f("fk_studio_assignees_population_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_studio_assignees")),
        sa.UniqueConstraint(
            "allocation_id", "participant_id", name=op.f("uq_studio_assignees_allocation_id_participant_id")
        ),
        sa.UniqueConstraint(
            "allocation_id", "population_id", name=op.f("uq_studio_assignees_allocation_id_population_id")
        ),
        if_not_exists=True,
    )
    for column in ("participant_id", "population_id"):
        op.create_index(
            f"ix_studio_assignees_{column}_allocation_id",
            "studio_assignees",
            [column, "allocation_id"],
            unique=False,
            if_not_exists=True,
        )
    op.create_table(
        "studio_preannotations",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("model", sa.String(length=256), nullable=False),
        sa.Column("version", sa.String(length=128), nullable=False),
        sa.Column("score", sa.Float(), nullable=True),
        sa.Column("content", Json(), nullable=False),
        sa.Column("source", sa.String(length=16), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["item_id"], ["studio_items.id"], name=op.f("fk_studio_preannotations_item_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_studio_preannotations")),
        sa.UniqueConstraint(
            "item_id", "model", "version", name=op.f("uq_studio_preannotations_item_id_model_version")
        ),
        if_not_exists=True,
    )
    op.create_table(
        "studio_exposures",
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("participant_id", sa.Integer(), nullable=False),
        sa.Column("preannotation_id", sa.Integer(), nullable=False),
        sa.Column("setting", sa.String(length=8), nullable=False),
        sa.Column("shown", sa.Boolean(), nullable=False),
        sa.Column("outcome", sa.String(length=16), nullable=True),
        sa.Column("parts", sa.Integer(), nullable=True),
        sa.Column("unchanged", sa.Integer(), nullable=True),
        sa.Column("created", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["studio_items.id"], name=op.f("fk_studio_exposures_item_id")),
        sa.ForeignKeyConstraint(
            ["participant_id"], ["studio_participants.id"], name=op.f("fk_studio_exposures_participant_id")
        ),
        sa.ForeignKeyConstraint(
            ["preannotation_id"],
            ["studio_preannotations.id"],
            name=op.f("fk_studio_exposures_preannotation_id"),
        ),
        sa.PrimaryKeyConstraint("item_id", "participant_id", name=op.f("pk_studio_exposures")),
        if_not_exists=True,
    )
    op.create_index(
        "ix_studio_exposures_participant_id",
        "studio_exposures",
        ["participant_id"],
        unique=False,
        if_not_exists=True,
    )
    op.create_index(
        op.f("ix_studio_exposures_preannotation_id"),
        "studio_exposures",
        ["preannotation_id"],
        unique=False,
        if_not_exists=True,
    )
    op.create_table(
        "studio_backends",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("stage_id", sa.Integer(), nullable=False),
        sa.Column("model", sa.String(length=256), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("version", sa.String(length=128), nullable=False),
        sa.Column("trained", sa.Float(), nullable=True),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("created_by", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["study_id"], ["studio_studies.id"], name=op.f("fk_studio_backends_study_id")
        ),
        sa.ForeignKeyConstraint(["stage_id"], ["studio_stages.id"], name=op.f("fk_studio_backends_stage_id")),
        sa.ForeignKeyConstraint(
            ["created_by"], ["studio_accounts.id"], name=op.f("fk_studio_backends_created_by")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_studio_backends")),
        sa.UniqueConstraint("study_id", "model", name=op.f("uq_studio_backends_study_id_model")),
        if_not_exists=True,
    )
    op.create_table(
        "studio_filters",
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["studio_studies.id"], name=op.f("fk_studio_filters_study_id")),
        sa.PrimaryKeyConstraint("study_id", "name", name=op.f("pk_studio_filters")),
        if_not_exists=True,
    )
    _add_column(
        "studio_items",
        "allocation_id",
        "INTEGER CONSTRAINT fk_studio_items_allocation_id REFERENCES studio_allocations (id)",
    )
    _add_column("studio_assignments", "allocation_id", "INTEGER")
    _add_column("studio_standings", "training", "TEXT")
    for name in ("ix_studio_assignments_stage_id_state_item_id", "ix_studio_judgements_item_id"):
        op.execute(f"DROP INDEX IF EXISTS {name}")
    for name, table, columns in (
        ("ix_studio_items_allocation_id", "studio_items", ["allocation_id"]),
        (
            "ix_studio_assignments_stage_id_state_allocation_id_item_id",
            "studio_assignments",
            ["stage_id", "state", "allocation_id", "item_id"],
        ),
        ("ix_studio_judgements_item_id_participant_id", "studio_judgements", ["item_id", "participant_id"]),
    ):
        op.create_index(name, table, columns, unique=False, if_not_exists=True)


def _add_column(table: str, name: str, definition: str) -> None:
    """In words that both kinds of databases have: alembic adds no column with a reference to SQLite's."""
    if name not in {each["name"] for each in sa.inspect(op.get_bind()).get_columns(table)}:
        op.execute(f"ALTER TABLE {table} ADD COLUMN {name} {definition}")
