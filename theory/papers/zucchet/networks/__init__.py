"""Zucchet & Orvieto (2024), Eq. 10-33: teacher, students and Appendix A's networks."""
