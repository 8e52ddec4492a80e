"""Amazon Bedrock's Converse API, through AWS's own package."""
