"""The lab tool: what ``./lab`` runs once everything is set up."""
