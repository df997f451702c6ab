"""Reports: tables, figures and one HTML page from scores and judgements. Knows scores and no engine."""

from __future__ import annotations

from folkways.reports.data import FAILURES, REPORT_JUDGEMENTS, ReportData, RunInfo

__all__ = ["FAILURES", "REPORT_JUDGEMENTS", "ReportData", "RunInfo"]
