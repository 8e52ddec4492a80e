"""The Hugging Face hub: what may be downloaded, and which model folders a test may use."""
