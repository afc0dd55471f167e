"""Environments: the games of this package in the forms that the libraries around it expect."""
