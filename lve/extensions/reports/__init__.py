"""Reports that not every user needs: a page, and tables for spreadsheets and notebooks."""
