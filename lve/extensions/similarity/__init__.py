"""How similar an answer is to a text: the same words, BLEU, ROUGE, chrF."""
