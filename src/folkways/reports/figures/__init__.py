"""Charts and maps, as specifications that the page draws and as files."""
