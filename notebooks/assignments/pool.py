"""The graded questions of each lesson, as data: a question of your own is one more entry.

Each entry has a text, points and `right`, an expression. A student gets one of each of its
`numbers`. Further keys say how it is answered:

- a number: the `rules`, each a hint and an expression about `answer`; all have to hold;
- a letter: the `options`, each with what is said about it; `right` is the position of one;
- a picture: the `views`, the `start` and the rules about the recorded `answer`, which are a Spec,
  and `moves`, the name of its field that `right` is a value of.

`notebooks/assignments/hand_in.py` has the names that expressions may use.
"""

from typing import Any

KEPT_BACK = ("right", "rules", "moves", "because", "tolerance")  # what students do not get
HALF_PERCENT = "0.5 percentage points"
SAME_POINT = {
    "The point was moved. Undo that; it is the attack of the question.": (
        "(answer.fpr, answer.fnr) == (fpr, fnr)"
    )
}
IS_SHARE = {"A share is at least 0 and at most 1, or 100 %.": "0 <= answer <= 1"}

POOL: dict[int, dict[str, dict[str, Any]]] = {
    1: {
        "misses": {
            "text": (
                "A shop claims ε = {epsilon}, δ = {delta}. An attack flags {fpr:.0%} of the "
                "non-members. What share of the members does it miss at least?"
            ),
            "points": 2,
            "numbers": {
                "epsilon": [0.4, 0.6, 0.9, 1.3],
                "delta": [0.01, 0.02, 0.05],
                "fpr": [0.05, 0.1, 0.15, 0.2],
            },
            "right": "max(1 - delta - exp(epsilon) * fpr, (1 - delta - fpr) / exp(epsilon))",
            "rules": {
                **IS_SHARE,
                "That is the largest share that is found. Who is missed?": (
                    "abs(answer - right) < 0.005 or abs(answer - (1 - right)) > 0.005"
                ),
                "Too few: the claim forbids an attack that misses so few.": (
                    "answer > right - 0.005"
                ),
                "Too many: an attack that misses fewer is allowed, too.": "answer < right + 0.005",
            },
            "because": "Two edges bound the misses from below, and the higher one counts.",
            "tolerance": HALF_PERCENT,
        },
        "flipped": {
            "text": (
                "An attack is worse than a coin: FPR {fpr:.0%}, FNR {fnr:.0%}. "
                "Leave the point and δ as they are. Move ε to the smallest one that allows it."
            ),
            "points": 3,
            "numbers": {
                "fpr": [0.75, 0.8, 0.85, 0.9],
                "fnr": [0.65, 0.7, 0.72],
                "delta": [0.01, 0.02],
            },
            "views": ["region"],
            "start": "Spec.of(epsilon=0.1, delta=delta, fpr=fpr, fnr=fnr)",
            "moves": "epsilon",
            "right": "log(max((fpr - delta) / (1 - fnr), (fnr - delta) / (1 - fpr)))",
            "rules": {
                **SAME_POINT,
                "δ was changed. Undo that; here only ε moves.": (
                    "answer.claim == theory.ApproximateDP(epsilon=answer.epsilon, delta=delta)"
                ),
                "This ε forbids the attack. Think of the opposite attack.": (
                    "answer.epsilon > right - 0.02"
                ),
                "A smaller ε allows the attack, too.": "answer.epsilon < right + 0.02",
            },
            "because": "The opposite attack is better than a coin, and needs as much ε.",
            "tolerance": "0.02 from the least ε",
        },
        "outside": {
            "text": (
                "An attack was tried {trials} times on each side. The measured point lies a little "
                "outside the region of the claim. What follows?"
            ),
            "points": 1,
            "numbers": {"trials": [20, 30, 40]},
            "right": "0",
            "options": {
                "Nothing yet: chance may have moved the point, so a bound on ε has to decide.": (
                    "True rates outside contradict a claim. Measured ones may be chance."
                ),
                "The claim is false, because the region holds every attack.": (
                    "It holds the true rates of every attack. Which rates were measured?"
                ),
                "The claim is confirmed, because the point is nearly inside.": (
                    "Could another attack lie further outside?"
                ),
                "The trials were counted wrongly, because no point can lie there.": (
                    "By chance, measured rates may lie anywhere."
                ),
            },
        },
    },
    2: {
        "reach": {
            "text": (
                "An attack on a hospital's model has FPR {fpr:.0%} and FNR {fnr:.0%}. "
                "Leave ε at {epsilon}. Choose δ so that the region just reaches this attack."
            ),
            "points": 3,
            "numbers": {
                "epsilon": [0.5, 0.8, 1.2],
                "fpr": [0.02, 0.04, 0.06],
                "fnr": [0.4, 0.5, 0.6],
            },
            "views": ["region"],
            "start": "Spec.of(epsilon=epsilon, delta=1e-5, fpr=fpr, fnr=fnr)",
            "moves": "delta",
            "right": "max(1 - fnr - exp(epsilon) * fpr, 1 - fpr - exp(epsilon) * fnr)",
            "rules": {
                **SAME_POINT,
                "ε was changed. Undo that; here only δ moves.": (
                    "answer.claim == theory.ApproximateDP(epsilon=epsilon, delta=answer.delta)"
                ),
                "The point is still outside the region: this δ is too small.": (
                    "answer.delta > right - 0.005"
                ),
                "The edge of the region is below the point: a smaller δ would do.": (
                    "answer.delta < right + 0.005"
                ),
            },
            "because": "δ has to be at least TPR minus e^ε times FPR.",
            "tolerance": "0.005 from the least δ",
        },
        "nights": {
            "text": (
                "A clinic has {people} patients. Each night a program prints the records of "
                "{printed} of them, chosen anew at random, and nothing else. "
                "What is the smallest δ of {nights} nights together, at ε = 0?"
            ),
            "points": 2,
            "numbers": {
                "people": [500, 800, 1200],
                "printed": [10, 20, 40],
                "nights": [7, 14, 30],
            },
            "right": "1 - (1 - printed / people) ** nights",
            "rules": {
                "That is one night. How probable is it that no night prints your record?": (
                    "abs(answer - printed / people) > 0.005 * printed / people"
                ),
                "That adds the nights, and counts a record twice if two nights print it.": (
                    "abs(answer - nights * printed / people) > 0.005 * right"
                ),
                "Too small. How likely is it that your record is printed at least once?": (
                    "answer > 0.995 * right"
                ),
                "Too large. How likely is it that your record is never printed?": (
                    "answer < 1.005 * right"
                ),
            },
            "because": "At ε = 0, δ is the probability of what is impossible without you.",
            "tolerance": "0.5 % of δ",
        },
        "proof": {
            "text": (
                "Two programs keep ε = 1, δ = {delta}. One adds Gaussian noise. The other adds "
                "Laplace noise, and with probability {delta} it prints all records, too. "
                "Whose output may prove that your record was used?"
            ),
            "points": 1,
            "numbers": {"delta": [0.001, 0.002, 0.005]},
            "right": "0",
            "options": {
                "Only the output of the second one.": (
                    "A printed record is proof. No output of Gaussian noise is."
                ),
                "The outputs of both, because they have the same δ.": (
                    "Which output of Gaussian noise is impossible without you?"
                ),
                "Only the output of the first one, because its tails are unbounded.": (
                    "An output in the tails is a hint. Is it impossible without you?"
                ),
                "The output of neither, because such a δ is small.": (
                    "What does the second program do in some of ten thousand runs?"
                ),
            },
        },
    },
    3: {
        "schools": {
            "text": (
                "Each of {schools} schools has {pupils} pupils, who get 0 to {high} points. "
                "The average of each school is published, and that of all pupils. "
                "Each average has Laplace noise of scale {scale:g} points. "
                "What is ε of all this together?"
            ),
            "points": 2,
            "numbers": {
                "schools": [4, 5, 8],
                "pupils": [100, 200, 250],
                "high": [20, 50, 100],
                "scale": [0.5, 1.0, 2.0],
            },
            "right": "high / pupils / scale * (1 + 1 / schools)",
            "rules": {
                "That is ε of the schools alone. A pupil is in the average of all, too.": (
                    "abs(answer - high / pupils / scale) > 0.01 * answer"
                ),
                "Too small. Add up how far one pupil moves each average.": "answer > 0.99 * right",
                "Too large. Of how many schools does one pupil move the average?": (
                    "answer < 1.01 * right"
                ),
            },
            "because": "One pupil moves the average of one school, and that of all pupils.",
            "tolerance": "1 % of ε",
        },
        "caller": {
            "text": (
                "A call centre publishes the number of complaints, with Laplace noise of scale "
                "{scale}. One person may complain up to {most} times. "
                "Set ε to what this guarantees for all complaints of one person."
            ),
            "points": 3,
            "numbers": {"scale": [4, 5, 8], "most": [2, 3, 6]},
            "views": ["mechanism"],
            "start": "Spec(claim=theory.LaplaceMechanism(epsilon=9.0), delta=0.0)",
            "moves": "epsilon",
            "right": "most / scale",
            "rules": {
                "The claim was changed: keep the Laplace mechanism, and move ε.": (
                    "type(answer.claim) is theory.LaplaceMechanism"
                ),
                "This ε is too small. How far does one person move the number?": (
                    "answer.epsilon > right - 0.02"
                ),
                "This ε is too large: the noise hides more.": ("answer.epsilon < right + 0.02"),
            },
            "because": "One person moves the number by all complaints, in units of the noise.",
            "tolerance": "0.02 from complaints divided by scale",
        },
        "coin": {
            "text": (
                "A survey wants to know who broke a rule. Everybody tosses a coin in secret. "
                "After heads they answer truthfully, after tails they say yes. "
                "Is ε of one answer finite, with δ = 0?"
            ),
            "points": 1,
            "right": "0",
            "options": {
                "No, because only people who did not break it say no.": (
                    "An answer that is impossible for one truth reveals the other truth."
                ),
                "Yes, because every yes may come from the coin.": "And who says no?",
                "Yes, ε is log 2, because the coin is fair.": (
                    "Compare how likely a no is for the two truths."
                ),
                "No, because no noise is added to a number.": (
                    "A coin is noise. Which answers does it make possible?"
                ),
            },
        },
    },
    4: {
        "twice": {
            "text": (
                "A bank's test flags {tpr:.0%} of the members and {fpr:.0%} of the others. "
                "{prior:.0%} of all candidates are members. A second test with the same "
                "rates flags the same record. Among members, and among others, the tests are "
                "independent. How likely is the record a member's?"
            ),
            "points": 2,
            "numbers": {"tpr": [0.6, 0.7, 0.8], "fpr": [0.05, 0.1], "prior": [0.01, 0.02, 0.03]},
            "right": "prior * tpr**2 / (prior * tpr**2 + (1 - prior) * fpr**2)",
            "rules": {
                **IS_SHARE,
                "That is so after one flag. The second flag moves the odds again.": (
                    "abs(answer - prior * tpr / (prior * tpr + (1 - prior) * fpr)) > 0.005"
                ),
                "Too small. Multiply the odds by TPR / FPR for each flag.": (
                    "answer > right - 0.005"
                ),
                "Too large. Did you begin with the odds of all candidates?": (
                    "answer < right + 0.005"
                ),
            },
            "because": "Each flag multiplies the odds by TPR / FPR.",
            "tolerance": HALF_PERCENT,
        },
        "rare": {
            "text": (
                "Leave ε = 1, δ = {delta} and the prior {prior:.0%} as they are. Move the FPR to "
                "the smallest one at which at most {share:.0%} of the flagged are members, "
                "whatever the attack."
            ),
            "points": 3,
            "numbers": {
                "delta": [0.01, 0.02, 0.05],
                "prior": [0.1, 0.15, 0.2],
                "share": [0.5, 0.6],
            },
            "views": ["risk", "people"],
            "start": "Spec.of(epsilon=1.0, delta=delta, prior=prior, fpr=0.3)",
            "moves": "fpr",
            "right": "delta / (share / (1 - share) * (1 - prior) / prior - exp(1))",
            "rules": {
                "ε, δ or the prior was changed. Undo that; here only the FPR moves.": (
                    "(answer.claim, answer.prior) == (start.claim, prior)"
                ),
                "With these few flags more of them may be right.": "answer.fpr > 0.95 * right",
                "A smaller FPR keeps the share as small, too.": "answer.fpr < 1.05 * right",
            },
            "because": "The fewer records are flagged, the larger is the share that δ gives away.",
            "tolerance": "5 % of the FPR",
        },
        "newspaper": {
            "text": (
                "A newspaper writes that a test is right in {accuracy:.0%} of all cases. "
                "One candidate in {people} is a member. What do you know about the flagged?"
            ),
            "points": 1,
            "numbers": {"accuracy": [0.98, 0.99], "people": [1000, 2000]},
            "right": "0",
            "options": {
                "Nearly nothing: a test that flags one non-member alone is right more often.": (
                    "Where members are rare, nearly all cases are easy ones."
                ),
                "At least {accuracy:.0%} of them are members.": (
                    "How often is a test right that flags nobody?"
                ),
                "At least one half of them are members.": (
                    "Let it flag ten non-members in a thousand. How often is it right?"
                ),
                "The test flags at least {accuracy:.0%} of all members.": (
                    "How often is a test right that flags nobody?"
                ),
            },
        },
    },
    5: {
        "widest": {
            "text": (
                "A report leaves out all rates below c and above 1 - c. It uses δ = 0.00001. "
                "What is the largest c with which Epsilon* can reach {epsilon}?"
            ),
            "points": 2,
            "numbers": {"epsilon": [1.5, 2.0, 2.5, 3.0]},
            "right": "(1 - 1e-5) / (1 + exp(epsilon))",
            "rules": {
                "That is 1 / e^ε. How large is the largest rate that is used?": (
                    "abs(answer * exp(epsilon) - 1) > 0.002"
                ),
                "Too small: a larger c can reach this number, too.": "answer > 0.98 * right",
                "Too large. Which ratio do the largest and the smallest rate have?": (
                    "answer < 1.02 * right"
                ),
            },
            "because": "The largest ratio is the largest used rate divided by the smallest.",
            "tolerance": "2 % of the clip",
        },
        "harmless": {
            "text": (
                "A team wants to look harmless. Here are new losses, whose Epsilon* you see. Keep "
                "the losses, the claim and δ. Choose a form and a clip with which Epsilon* is at "
                "most 0.6 times as large."
            ),
            "points": 3,
            "losses": True,
            "views": ["epsilon_star"],
            "start": "Spec.of(epsilon=1.0, delta=1e-5)",
            "moves": "clip",
            "right": "0.1",
            "rules": {
                "The claim or δ was changed. Set them again as they were.": (
                    "(answer.claim, answer.delta) == (start.claim, start.delta)"
                ),
                "That is more than 0.6 times the first. Which rates make it large?": (
                    "epsilon_star_of(answer, losses) <= 0.6 * epsilon_star_of(start, losses)"
                ),
            },
            "because": "So a report has to state form and clip, chosen before the losses are seen.",
            "tolerance": "any form and clip with such an Epsilon*",
        },
        "leaking": {
            "text": (
                "Model A has {few} losses a side and Epsilon* 1.2. Shuffled labels give it less "
                "than 1.5 in 95 of 100 cases. Model B has {many} losses a side and Epsilon* 0.6. "
                "Shuffled labels give it less than 0.3. Which number speaks for a leak?"
            ),
            "points": 1,
            "numbers": {"few": [150, 200, 250], "many": [20000, 30000]},
            "right": "0",
            "options": {
                "Only the number of B.": "Chance gives less than 0.3 for as many losses.",
                "Only the number of A, because it is larger.": "What does chance alone give for A?",
                "Both, because they are above 0.": "Are they above 0 where nothing leaks, too?",
                "None, because an estimate says nothing.": (
                    "It bounds no ε. But how often does chance alone give as much?"
                ),
            },
        },
    },
    6: {
        "window": {
            "text": (
                "Here are new losses. Drag the threshold to where the attack finds {share:.0%} of "
                "these members, or up to 4 percentage points more or less."
            ),
            "points": 2,
            "numbers": {"share": [0.4, 0.45, 0.5]},
            "losses": True,
            "views": ["scores"],
            "start": "Spec.of(epsilon=1.0, delta=1e-5)",
            "moves": "fpr",
            "right": "min((abs(tpr_at(losses, i / 50) - share), i / 50) for i in range(50))[1]",
            "rules": {
                "The claim was changed. Set ε and δ again as they were.": (
                    "answer.claim == start.claim"
                ),
                "That finds too few. Which losses are flagged?": (
                    "tpr_at(losses, answer.fpr) > share - 0.04"
                ),
                "That finds too many. The threshold has to flag fewer losses.": (
                    "tpr_at(losses, answer.fpr) < share + 0.04"
                ),
            },
            "because": "A threshold fixes both rates: the TPR and the FPR.",
            "tolerance": "4 percentage points of the measured TPR",
        },
        "counted": {
            "text": (
                "Before the losses are seen, an auditor fixes a threshold. It flags {hits} of 400 "
                "members and {alarms} of 400 non-members. Which ε does that show at least, with "
                "95 % confidence and δ = 0?"
            ),
            "points": 3,
            "numbers": {"hits": [70, 90, 120, 150], "alarms": [8, 12, 16, 20]},
            "right": (
                "log(beta.ppf(0.025, hits, 401 - hits) / beta.ppf(0.975, alarms + 1, 400 - alarms))"
            ),
            "rules": {
                "That is the ratio of the measured rates, an estimate.": (
                    "abs(answer - log(hits / alarms)) > 0.02"
                ),
                "Too small: these counts show more.": "answer > right - 0.02",
                "Too large. Allow for chance on both sides, 2.5 % each.": "answer < right + 0.02",
            },
            "because": "The limits of both rates hold together in at least 95 of 100 audits.",
            "tolerance": "0.02 from the bound by Clopper and Pearson",
        },
        "several": {
            "text": (
                "A team runs {attacks} attacks on a model. Each gets a bound with {level:.0%} "
                "confidence. Only the largest bound is above the claim. Is the claim contradicted "
                "with 95 % confidence?"
            ),
            "points": 1,
            "numbers": {"attacks": [3, 4, 8, 12], "level": [0.98, 0.99]},
            "right": "0 if attacks * round(1 - level, 2) <= 0.05 else 1",
            "options": {
                "Yes: all bounds together are right in at least 95 % of such audits.": (
                    "The error probabilities add up to 5 % at most."
                ),
                "No: together such bounds may be wrong in more than 5 % of the audits.": (
                    "The error probabilities add up to more than 5 %."
                ),
                "Yes: one bound above the claim is enough, whatever the others say.": (
                    "The best was chosen after the losses were seen. What does that cost?"
                ),
                "No: the other bounds confirm the claim.": "A low bound confirms nothing.",
            },
        },
    },
    7: {
        "answers": {
            "text": (
                "A program publishes {answers} counts of the same people. Each gets its own "
                "Laplace noise of scale {scale}. One person more changes each count by 1. "
                "What is the smallest ε of all counts together?"
            ),
            "points": 2,
            "numbers": {"answers": [3, 7, 9], "scale": [4.0, 6.5, 8.5]},
            "right": "answers / scale",
            "rules": {
                "That is the ε of one count. The person is in all of them.": (
                    "abs(answer - 1 / scale) > 0.01 / scale"
                ),
                "A larger scale is more noise. Does that raise ε?": (
                    "abs(answer - answers * scale) > 0.01 * answers * scale"
                ),
                "Too small: all counts move the same way.": "answer > 0.99 * right",
                "Too large: one person moves each count by 1 only.": "answer < 1.01 * right",
            },
            "because": "Where all counts are large, the losses of all of them add up.",
            "tolerance": "1 % of ε",
        },
        "missed": {
            "text": (
                "A program prints all its data in some runs, by chance. In {runs} runs it did not. "
                "How often may it do so, and yet be missed with probability {missed:.0%}? "
                "Give the share of runs."
            ),
            "points": 3,
            "numbers": {"runs": [300, 700, 3000, 7000], "missed": [0.01, 0.05, 0.1]},
            "right": "1 - missed ** (1 / runs)",
            "rules": {
                **IS_SHARE,
                "With this share it is missed more often than that.": "answer > 0.99 * right",
                "With this share it is missed less often than that.": "answer < 1.01 * right",
            },
            "because": "The probability of no print is (1 - share) to the power of the runs.",
            "tolerance": "1 % of the share",
        },
        "silent": {
            "text": (
                "A program is tested on {pairs} pairs of neighbours, with {runs} runs on each. "
                "Its claim is not contradicted. What follows from the test?"
            ),
            "points": 1,
            "numbers": {"pairs": [3, 5, 8], "runs": [2000, 5000, 20000]},
            "right": "0",
            "options": {
                "Nothing certain: rare outputs or other pairs may break the claim.": (
                    "Larger leaks on these pairs would probably have been found."
                ),
                "The claim holds on these pairs, but maybe not on others.": (
                    "May an output break the claim that did not come up?"
                ),
                "The claim holds with the confidence of the test.": (
                    "What does this confidence say about a program with a rare bug?"
                ),
                "Nothing at all: only a proof says anything.": (
                    "Would a program without noise have passed?"
                ),
            },
        },
    },
}
