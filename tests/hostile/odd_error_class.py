# exercise: lesson-06
# part: padding_visible
# score: full
# A subclass of ValueError where a ValueError is due.
class Unfit(ValueError):
    pass


right = padding_visible


def padding_visible(lengths, T):
    try:
        return right(lengths, T)
    except ValueError as error:
        raise Unfit(*error.args) from None
