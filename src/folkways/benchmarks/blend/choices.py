"""stub"""


class MultipleChoice: ...
