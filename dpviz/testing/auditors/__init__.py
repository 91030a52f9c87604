"""The check of auditors: functions that state a lower bound on epsilon, on known distributions."""
