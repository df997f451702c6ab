"""Commands about data: releases, tasks, cultures."""
