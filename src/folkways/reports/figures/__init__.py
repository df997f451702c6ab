"""Charts and maps as Vega-Lite specifications and SVG."""
