"""Multiple-choice questions made of people's answers (paper, section 4.2.1 and appendix C.3.1): rules alone,
no input or output."""
