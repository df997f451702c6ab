"""Every Eval Ever: a shared schema and store of evaluation results (schema 0.3.0)."""
