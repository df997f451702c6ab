"""Reports: tables, figures and one HTML page from scores and judgements. Knows scores and no engine."""

from __future__ import annotations

from folkways.records import JUDGED_ITEMS
from folkways.reports.data import FAILURES, ReportData, RunInfo

__all__ = ["FAILURES", "JUDGED_ITEMS", "ReportData", "RunInfo"]
