"""Samples of the benchmark as questions and answers in text: CLRS-Text."""

from narscope.clrs.clrs_text import clrs_utils, huggingface_generators
from narscope.clrs.clrs_text.clrs_utils import format_clrs_example
from narscope.clrs.clrs_text.huggingface_generators import clrs_generator

__all__ = ["clrs_generator", "clrs_utils", "format_clrs_example", "huggingface_generators"]
