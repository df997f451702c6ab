"""Reports: tables, figures and one HTML page from scores and judgements. Knows scores and no engine."""
