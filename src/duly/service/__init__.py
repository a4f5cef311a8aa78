"""The operation registry behind every interface: commands, queries, explain."""
