"""How similar an answer is to a text: the same words, copied passages, BLEU, ROUGE, chrF."""
