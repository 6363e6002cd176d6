"""Analysis of a whole conversation: memories, a summary, themes, tone and topics. Start at `whole.analysis_of`."""
