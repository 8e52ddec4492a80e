"""HTTP/1.1 on lve's own connections: a pool of them, proxies, time limits, responses."""
