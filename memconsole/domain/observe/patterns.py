"""Patterns and points that tell which sentences are worth remembering.

Two kinds of conversation have to work: people's about their lives, where what happened, to whom and
when is worth keeping, and operators' about systems, where decisions, rules, failures, versions and
promises are. Everything here is closed-class English or a form (a path, a version, a date): no
topic and no name of anybody's conversations. Points are of the score 0 to 10.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from memconsole.domain.memory.observations import Kind
from memconsole.text.folding import STOP_WORDS


class Cue(NamedTuple):
    """One reason to remember a sentence.

    Attributes:
        points: Added once a message.
        kind: What the sentence then is; None says nothing about it.
        is_users: Counts fully for what people say, half for what the agent says.
    """

    name: str
    pattern: str
    points: float
    kind: Kind | None = None
    is_users: bool = False


def _any(*words: str) -> str:
    return rf"(?i)\b(?:{'|'.join(words)})\b"


_ADVERBS: Final = r"(?:\s+(?:\w+ly|just|also|even|once|never|always|already|still|both|all|then))*"
_IRREGULAR: Final = (
    "was|were|went|got|had|did|made|took|saw|came|found|gave|told|met|bought|began|built|brought"
    "|caught|chose|drew|drove|ate|fell|felt|flew|forgot|grew|heard|held|kept|knew|left|lost|paid"
    "|put|ran|read|said|sang|sat|sent|set|shot|slept|spoke|spent|stood|swam|taught|thought|threw"
    "|understood|woke|wore|won|wrote|broke|cut|hit|hurt|led|lent|let|rode|rose|sold|became|beat"
)
_TAKEN: Final = "(?:it|her|him|them|us|me|you|this|that|these|those|the|an?|my|our|\\w{3,}ing)"
"""What one gets used to; what one used to do is a verb."""
_WEEKDAYS: Final = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"

_LAUGHS: Final = r"(?:lol|lmao|rofl|(?:ha){2,}h?|(?:he){2,}|(?:hi){2,}|(?:ja){2,})"

CUES: Final = (
    Cue("rule", "必须|禁止|不要|总是|永远|记住|必ず|しないで|항상|절대", 3.4, Kind.RULE),
    Cue("decision", "决定|選択|选择|改用|決め|採用|결정", 2.4, Kind.DECISION),
    Cue(
        "promise",
        "截止|期限|締め切り|마감|星期|周[一二三四五六日]|曜日",
        1.2,
        Kind.GOAL,
    ),
    Cue("preference", "喜欢|偏好|最爱|好き|好み|좋아", 0.8, Kind.PREFERENCE),
    Cue(
        "rule",
        _any(
            r"(?:always|never) (?:use|run|deploy|push|commit|merge|delete|send|ask|write|call|touch"
            r"|store|share|restart|edit|mention|reply|answer|open|change|rely|skip|start|stop)",
            r"(?:must|may|shall) not",
            r"(?:must|have to|has to|need to) (?:always|never)",
            r"from now on",
            r"(?<!i )(?<!we )make sure (?:to|that|you)",
            r"(?:please )?(?:do not|don['’]t) (?:ever|use|push|deploy|delete|send|touch|run|merge)",
            r"(?:is|are) (?:forbidden|not allowed|mandatory|required)",
            r"rule \d+|the rule is|as a rule",
            r"remember (?:to|that|this)",
            r"(?:bitte )?(?:immer|nie(?:mals)?) (?!mehr)\w+en|ab (?:jetzt|sofort)|merk dir",
            r"toujours|ne \w+ jamais|siempre|nunca",
        ),
        3.4,
        Kind.RULE,
        is_users=True,
    ),
    Cue(
        "decision",
        _any(
            r"(?:we|i|they)(?:['’]ve| have)?(?: \w+)? (?:decided|agreed|chose|settled|opted)",
            r"decision|decided (?:to|on|against|that)",
            r"let['’]s (?:go with|use|keep (?:the|using)|stick (?:to|with)|switch|drop)",
            r"(?:we|i)(?:['’]ll| will|['’]re going to| are going to) (?:use|switch|stick to"
            r"|stick with|stay (?:on|with)|move to|migrate|adopt|drop|keep (?:the|using|our))",
            r"(?:go|going|went) with (?:the|a|an|option|plan|(?-i:[A-Z])\w+)|instead of",
            r"switch(?:ed|ing)? (?:to|from)|migrat(?:e|ed|ing) (?:to|from)",
            r"approved|rejected|signed off|ruled out",
            r"(?:haben|habe|hat) .{0,60}entschieden|wir nehmen|entscheidung|statt \w+",
            r"(?:avons|ai) (?:décidé|choisi)|(?:hemos|he) (?:decidido|elegido)",
        ),
        2.4,
        Kind.DECISION,
        is_users=True,
    ),
    Cue(
        "preference",
        _any(
            r"(?:i|we)(?:['’]d| would)?(?: \w+)? (?:prefer|rather|want you to)\w*",
            r"prefer(?:s|red|ence)?|bevorzug\w+|am liebsten|lieber|préfère|prefiero",
            r"(?:my|our|her|his|their) (?:\w+ )?favou?rite",
            r"favou?rite",
            r"(?:i|we) (?:really |just |also )?(?:love|like|enjoy|hate|dislike|adore|miss)",
            r"(?:big |huge )?fan of|allerg\w+|vegetarian|vegan|can['’]t stand|keen on",
            r"interested in|passionate about|always wanted|dream(?:s|ed)? (?:of|is|about|job)",
        ),
        0.8,
        Kind.PREFERENCE,
        is_users=True,
    ),
    Cue(
        "promise",
        _any(
            r"deadline|due (?:on|by|date|at)|no later than",
            rf"(?:by|until|before) (?:{_WEEKDAYS}|tomorrow|tonight|noon|next|the end|\d)",
            r"(?:i|we)(?:['’]ll| will) (?:\w+ )?(?:send|call|fix|check|write|finish|deliver|prepare"
            r"|review|update|ship|follow|get back|look into|take care)",
            r"promised?|todo|follow[- ]up|action item|appointment|scheduled|frist|termin",
        ),
        1.2,
        Kind.GOAL,
    ),
    Cue(
        "goal",
        _any(
            r"(?:my|our|the|her|his) (?:\w+ )?(?:goals?|plans?|aim|target)(?: (?:is|are|for|to))?",
            r"(?:i|we)(?:['’]m| am|['’]re| are) (?:\w+ )?(?:planning|thinking (?:of|about)|hoping"
            r"|considering|looking (?:into|for|forward)|saving|applying|training|trying|going) ",
            r"(?:i|we)(?:['’]d| would) (?:love|like) to",
            r"(?:i|we) (?:really )?(?:want|plan|hope|intend|aim|wish) to",
        ),
        0.3,
        Kind.GOAL,
    ),
    Cue(
        "failure",
        _any(
            r"fail(?:s|ed|ing|ures?)?|broken|broke|crash\w*|outage|time[sd]? ?out|exception"
            r"|traceback|stack trace|segfault|regression|bugs?|leak(?:s|ed)?|corrupt\w*|denied"
            r"|refused|\d{3} errors?|errors?:?|root cause|rolled back|went down|out of memory"
            r"|doesn['’]t work|does not work|didn['’]t work|not working|data loss|exit code",
        ),
        1.2,
        Kind.EVENT,
    ),
    Cue(
        "completed",
        _any(
            r"fixed|deployed|merged|released|shipped|resolved|migrated|upgraded|installed"
            r"|configured|rolled out|implemented|refactored|published|is (?:now )?(?:live|done)"
            r"|completed|finished|set up|all tests pass",
        ),
        0.9,
        Kind.EVENT,
    ),
    Cue(
        "money",
        (
            r"(?i)[$€£¥]\s?\d|\b\d[\d.,]*\s?(?:USD|EUR|GBP|CHF|dollars?|euros?|bucks|percent|k/month)\b"
            r"|\b(?:budget|invoice|price|salary|rent|refund|contract)\b"
        ),
        1.0,
    ),
    Cue(
        "technical",
        (
            r"\bv?\d+\.\d+(?:\.\d+)*\b|https?://|(?<![\w.])[~.]?/?[\w.-]+/[\w./-]+\.\w{1,8}\b"
            r"|`[^`]{2,80}`|\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b|(?<!\w)--[a-z][\w-]+|\bport \d+"
            r"|\b\d+\s?(?:ms|GB|MB|KB|TB|tokens|rows|requests)\b|\b[\w-]+@[\w-]+\.\w+"
        ),
        1.0,
    ),
    Cue(
        "habit",
        _any(
            r"every (?:day|week|month|year|morning|evening|night|weekend|other|\w+day)|usually"
            r"|each (?:day|week|month|morning)|(?:once|twice|\w+ times) an? (?:day|week|month|year)"
            r"|on weekends|daily|weekly|regularly|most days"
            rf"|used to (?!{_TAKEN}\b)",
        ),
        0.4,
        Kind.HABIT,
    ),
    Cue(
        "change",
        _any(
            r"started|joined|signed up|bought|moved (?:in|to|from|out)?|quit|lost|won|opened"
            r"|adopted|launched|applied|enrolled|named|called|married|engaged|born|died|passed away"
            r"|graduated|hired|promoted|retired|got (?:a|an|my|our|the|into|accepted|hired|hurt)"
            r"|decid\w+|chose|picked|received|earned|visited|attended|took part|participated"
            r"|volunteer\w*|broke up|accident|injur\w+|diagnos\w+|surgery|hospital|wedding|created"
            r"|built|made|wrote|painted|designed|learned|taught|founded|organi[sz]ed|hosted",
        ),
        0.5,
    ),
    Cue(
        "people",
        _any(
            r"mom|mum|mother|dad|father|parents?|sisters?|brothers?|wife|husband|sons?|daughters?"
            r"|kids?|child(?:ren)?|grand(?:ma|pa|mother|father|parents)|aunt\w*|uncles?|cousins?"
            r"|niece|nephew|girlfriend|boyfriend|fianc\w+|partner|friends?|boss|manager"
            r"|colleagues?|co-?workers?|teammates?|neighbou?rs?|roommate|clients?|customers?|mentor"
            r"|dogs?|cats?|pets?|pupp(?:y|ies)|kittens?",
        ),
        0.5,
    ),
    Cue(
        "time",
        (
            r"(?i)\b(?:yesterday|tomorrow|tonight|today|last|next|ago|recently|since|weekends?|weeks?"
            rf"|months?|years?|{_WEEKDAYS}|(?:19|20)\d\d|january|february|march|april|june|july"
            r"|august|september|october|november|december|birthday|anniversary|summer|winter"
            r"|spring|autumn|holidays?|vacation)\b|\b\d{4}-\d\d-\d\d\b|\b\d{1,2}:\d\d\b"
            r"|\b\d{1,2}(?:st|nd|rd|th)\b|\b(?:[1-9]|1[0-2]) ?[ap]m\b"
        ),
        1.3,
    ),
    Cue(
        "number",
        (
            r"(?i)(?<![\w.])\d[\d.,:]*\b|\b(?:two|three|four|five|six|seven|eight|nine|ten|dozen"
            r"|hundred|thousand|couple of|first|second|third)\b"
        ),
        0.5,
    ),
    Cue("title", r"[\"“«][^\"”»]{2,60}[\"”»]|\b(?:called|named) [A-Z]", 1.6),
    Cue(
        "own past",
        (
            rf"(?i)\b(?:i|we|he|she|they|my \w+|our \w+)\b"
            rf"{_ADVERBS}\s+(?:\w{{2,}}ed|{_IRREGULAR})\b"
            r"|\b(?:i|we)['’]ve\b|\b(?:i|we) have (?:been|\w+ed)\b"
        ),
        0.5,
        Kind.FACT,
    ),
    Cue("reason", _any(r"because|['’]cause|due to|that['’]s why|the reason|in order to"), 0.4),
    Cue("own", r"(?i)\b(?:i|we|my|our)\b", 0.6),
    Cue("thanks", _any(r"thanks|thank you|appreciate\w*|grateful|encouragement|proud of"), -0.4),
    Cue("mood", _any(_LAUGHS), 0.0),
    Cue(
        "musing",
        _any(
            r"i (?:think|feel|believe|know|hope|wish|guess|bet|agree|understand|can imagine)",
            r"i['’]m sure|you know|it['’]s (?:so |really |all )?(?:important|about|great|key)",
        ),
        -0.4,
    ),
)
"""In the order in which they name the kind of a line."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NOW: Final = _any(r"currently|at the moment|right now|working on|in progress|so far")
"""A fact that will not last: context."""

NO_SENTENCE: Final = r"[|{}<$]|\[(?![A-Z]{3,}\])|\W*$|(?:at|File|import|def|const|let|var) \S+[(.:]"
"""How rows of tables, tags, data, code and traces begin; a marker such as [DECISION] does not."""
PLATFORM: Final = (
    r"\(untrusted metadata\)|\bNO_REPLY\b|\bHEARTBEAT_OK\b|Do not mention internal steps"
    r"|Store durable memories now|Current time: \w+day,|^Understood:"
)
"""What the platform says to the model, and a model may repeat."""
SHOWS: Final = (
    r"(?i)(?:(?:also|so|and|oh)\b\W*)*(?:here(?:['’]s| is| are)|(?:check|take a look at|look at)\b)"
    r".{0,20}\b(?:pics?|photos?|pictures?|snaps?|shots?)\b"
)
"""How a sentence begins that shows a picture, which nobody will see later."""

QUESTION: Final = r"[?？]\W*$"
ASKS_A_FACT: Final = _any(
    r"what|which|where|when|who|whose|why|how (?:long|many|much|old|often|did|do|does|was|come)"
)
STANDS_FOR: Final = (
    r"(?i)(?P<yes>(?:yes|yeah|yep|yup|no|nope)\b\W*)?"
    r"(?:(?:well|and|but|so|oh|actually|plus|btw|by the way)\b\W*)*"
    r"(?:(?:it|they|he|she|this|that|these|those|his|her|their|its)\b(?!['’]s (?:been|just))"
    r"|there(?:['’]s| is| are| was| were)\b)"
)
"""How a sentence begins that speaks of what was named before."""
NAMED_INSIDE: Final = r"(?i)(?:[\w'’]+ ){1,3}(?:it|them|their|her|him|his|there)\b"
"""How a sentence begins that soon speaks of what was named before."""
NAMED_BEFORE: Final = _any(r"it|that|them|they|he|she|him|her|their|those|these")
"""Words that need an explanation themselves."""
FRAGMENT: Final = (
    r"(?i)(?:yes|yeah|yep|no|nope|ja|nein|oui|sí|sim)\b|[\d€$£]"
    r"|(?:in|at|on|by|with|since|until|because|from|for|about|around|after|before|to|like|been)\b"
    r"|(?:um|am|im|mit|bei|seit|bis|weil|von|für|zwei|drei|vier|en|con|desde|porque|avec|depuis)\b"
    r"|(?:once|twice|one|two|three|four|five|six|seven|eight|nine|ten|both|neither)\b"
    r"|\w{2,}(?:ing|ed)\b|(?:held|done|sent|put|set|made|kept|built)\b"
)
"""How an answer begins that leaves out what it is about."""
GREETS: Final = _any(
    r"how (?:are|have|is|about|was your)|how['’]s|what['’]s (?:up|new)|anything (?:new|exciting)"
)
OFFERS: Final = (
    r"(?i)(?:anything|something) else|\b(?:how|what) (?:can|may|could|should|shall) i (?:help|do)\b"
    r"|\bcan i help|\bwould you like (?:me )?to (?:do|see|know)|\bwhat(?:['’]s| is| comes)? next\b"
    r"|\b(?:shall|should) i (?:continue|proceed|go (?:on|ahead)|start)\b"
    r"|\bdoes that (?:help|work|make)"
)
"""Questions of an agent whose answers are orders to it, and no facts."""
CLUELESS: Final = (
    r"(?i)\b(?:no (?:idea|clue)|not sure|don['’]?t (?:know|care|remember)|dunno|idk|whatever"
    r"|not (?:yet|now)|later|up to you|you (?:choose|decide|pick)|haven['’]?t decided"
    r"|let me (?:check|look|see)|keine ahnung|wei(?:ß|ss) (?:ich |es )*(?:noch )?nicht|noch nicht"
    r"|no (?:lo )?sé|ni idea|todavía no|aún no|(?:ne |n['’])?sais pas|pas encore|não sei"
    r"|ainda não)\b"
)
"""Answers that decide nothing."""
OF_ITSELF: Final = (
    r"(?i)\b(?:i|we|is|are|was|were|will|has|have|had|can|must|needs?|ich|wir|ist|sind|wird|es|está)\b"
    r"|^(?:please |bitte )?(?:buy|call|remind|pay|book|order|cancel|ask|note|kauf\w*|ruf\w*)\b"
)
"""What tells that a sentence is more than an answer, and may begin another matter."""
YES_OR_NO: Final = (
    r"(?i)(?:(?:yes|yeah|yep|yup|sure|ok|okay|no|nope|nah|please|ja|nein|oui|non|sí)\b\W*)+"
)
REACTION: Final = (
    r"(?i)(?:wow|whoa|woah|congrat\w*|that['’]s|that is|that must|awesome|cool|amazing|great"
    r"|sorry|oh|aww?|nice|way to go|impressive|incredible|so (?:cool|happy|glad|sorry)|good job"
    r"|well done|perfect|excellent|ouch)\b"
)
CHATTER: Final = (
    r"(?i)(?:wow|whoa|woah|oops|thanks|thank (?:you|goodness|god)|thx|congrat\w*|great|glad"
    r"|awesome|cool|good|keep|hey|hi"
    r"|hello|yeah|yep|yes|yup|no|nope|ok|okay|absolutely|definitely|sure|for sure|no problem"
    r"|no worries|anytime|take care|bye|see (?:you|ya)|talk (?:soon|later|to you)|catch (?:you|up)"
    r"|totally|agreed|exactly|of course|nice|aww?|oh|ah|haha\w*|lol|so|sorry|way to go|can['’]t"
    r"|let['’]s|let me know|really|well|you|your|that|that['’]s|it['’]s|it|sounds|looks|what an?"
    r"|how|love|hope|wish(?:ing)?|enjoy|have (?:a|fun)|best|same|me too|right|true|got it|done"
    r"|will do|perfect|excellent|understood|certainly|happy to|here (?:is|are)|here['’]s|sure thing"
    r"|i (?:see|agree|understand|appreciate|bet|can imagine|hope|get it)|check|look|take a look"
    r"|welcome|you['’]re|there you go|fingers crossed|good luck|mm+|hmm+|ooh?|yay|woo\w*)\b"
)
"""How sentences begin that mostly say nothing; with enough words of their own they still count."""

_CRIES: Final = rf"(?:{_LAUGHS}|omg|xd)\b"
INTERJECTIONS: Final = (
    rf"(?i)^(?:{_CRIES}[\s,!.…:;-]*+|(?:hey|hi)\b(?:[\s,!.…]++(?!(?-i:[A-Z]))|[,!.…]++\s*+))++"
    rf"|(?:[\s,;]++{_CRIES})++(?=\W*+$)"
)
"""What stands before and behind a statement and is no part of it."""

_SPAN: Final = r"(?:busy|crazy|wild|long|rough) (?:few |couple of )?(?:day|week|month|time)s?"
_HAVE: Final = r"(?:gotta|(?:got|have|had|need|wanted) to)(?: just)?"
ANNOUNCES: Final = (
    r"(?i)(?:(?:hey|hi|hello)\b[^,.!]{0,20}[,.!]\s*)?"
    r"(?:guess what|long time(?: no \w+)?"
    rf"|(?:it['’]s )?been (?:a )?(?:while|long time|ages|{_SPAN})"
    rf"|i(?:['’]ve| have)? {_HAVE} (?:tell|share)(?: this| something)?(?: with)? (?:you|ya)"
    r"|(?:so much|a lot|lots|something \w+)(?:['’]s| has| have)?"
    r" (?:happened|changed|been going on)"
    r"|(?:noted|saved|stored|logged|written|done)(?:,? (?:in|to|under) \S+)?)"
    r"(?: (?:about|since|for|to|with|from|recently|lately|here)\b.{0,30})?\W*"
)
"""Whole sentences that only say that something is coming."""

HOLLOW: Final = _any(
    r"let['’]s|remember|motivat\w*|journey|believe in|have faith|keep (?:going|it up|at it)"
    r"|never give up"
)
"""Words of encouragement: alone they say nothing that is worth knowing later."""
CONCRETE: Final = frozenset(
    {"rule", "decision", "failure", "money", "technical", "time", "number", "title", "own past"}
)
"""Names of cues that make a line more than encouragement."""
EVERYDAY: Final = frozenset({"mood", "people", "own past", "own", "reason", "thanks", "musing"})
"""Names of cues that tell nothing that lasts: where somebody laughs about it, it is a mood."""
ORDERS: Final = (
    r"(?i)(?:(?:please|ok|okay|now|then|and|so)\b\W*)*(?:prepare|summari[sz]e|write|draft|turn|make"
    r"|find|add|give|show|read|run|check|fix|review|do|send|create|open|list|explain|translate|tell"
    r"|update|look up|search|put|get|go|try|cut|answer)\b|.{2,60}(?:ください|お願いします)[。!！]?$"
)
"""How a person begins who asks an agent for a piece of work."""

GENERAL: Final = _any(
    r"life|people|every(?:one|body|thing)|any(?:one|body|thing)|some(?:one|body)|others|world"
    r"|things?|moments?"
)
"""Words for nobody and nothing in particular: talk of the world in general holds them."""

SECOND: Final = _any(r"you|your|yours|yourself|you['’](?:re|ve|ll|d)|ya")
FIRST: Final = r"(?i)\b(?:i|my|we|our|me|us|mine|ours|i['’](?:m|ve|d|ll)|we['’](?:re|ve|d|ll))\b"
NAME: Final = r"(?<=[\w,;:)'’] )[A-Z][\w'’-]+|\b[A-Z]{2,}[a-z]?\b"
LABEL: Final = r"([A-Z][\w'’.-]*(?: [A-Z][\w'’.-]*)?): (?=\S)"

COMMON: Final = STOP_WORDS | _words(
    "also always amazing awesome back bit can't come cool could didn't doesn't don't even ever"
    " every feel feels felt fun get gets getting glad go going gonna good got great guess guys hard"
    " he's hear hey hope i'd i'll i'm i've it'll it's know let let's like lot lots love made make"
    " makes making many may maybe means might much must need new nice one oh ok okay pretty really"
    " right say see she's since so something sounds still stuff such super sure take takes taking"
    " thank thanks that's thing things think they're time totally try trying us want wanted wants"
    " way we'll we're we've what's wow yeah yes yet you'll you're you've happy help keep look looks"
    " seeing hard wait looking forward"
)
"""Words that make no sentence worth more."""
