"""What a fast network of Azul Duel looks up, and which outputs the logit of an action is summed from.

A first layer adds up what it knows of each number of the observation by itself, and can't compute products. So it may look up counts, and
which spaces of each row, column and slot are filled. An output is shared by actions that are alike in something: two tiles more than the
line has room for, wherever they come from. Both tell what the rules tell of a position, and nothing of what is good.
"""
