"""What a run can decide, computed before anything is sent: rows, likely verdicts, idle expectations."""
