internal import Media

/// Relates a phone's clock to CLOCK_MONOTONIC by questions that the phone answers with its time.
///
/// An answer tells the phone's time at some instant between the question and the answer's arrival, so half of the way is its error. The
/// answer with the least error counts; with its age its error grows, since two clocks run apart. A value: time is an argument.
struct PhoneClock {
    private struct Answer {
        /// The middle of the way.
        let at: ClockTime
        /// From the phone's clock to CLOCK_MONOTONIC.
        let offset: Nanoseconds
        /// Half of the way.
        let error: Nanoseconds

        func error(at now: ClockTime) -> Nanoseconds {
            error + Nanoseconds.seconds(rounding: max((now - at).inSeconds, 0) * PhoneClock.drift)
        }
    }

    private var answers: [Answer] = []
    /// From the phone's clock to CLOCK_MONOTONIC, as frames are dated now.
    private(set) var offset: Nanoseconds?
    private var followed: ClockTime?

    /// Share by which two clocks run apart at most: twice what quartz does.
    private static let drift = 0.000_1
    /// By how much the dates follow per second: more than any clock drifts, and too little to be seen.
    private static let slew = 0.002
    /// Ways longer than this tell nothing.
    private static let longestWay = Nanoseconds.seconds(1)
    /// Answers that contradict each other by more than this have another clock behind them: it stood still while the phone slept.
    private static let jump = Nanoseconds.milliseconds(20)
    private static let mostAnswers = 30
    /// Answers from which on dates are trusted.
    private static let fewestAnswers = 5

    /// Whether frames can be dated.
    var isKnown: Bool { answers.count >= Self.fewestAnswers }

    /// Takes note of an answer.
    ///
    /// - Parameters:
    ///   - phone: The phone's time.
    ///   - asked: When it was asked.
    ///   - answered: When the answer came.
    mutating func note(_ phone: Nanoseconds, asked: ClockTime, answered: ClockTime) {
        let way = answered - asked
        guard way >= .zero, way < Self.longestWay else { return }
        let middle = asked + way / 2
        let answer = Answer(at: middle, offset: Nanoseconds(middle.nanoseconds) - phone, error: way / 2)
        if let best = best(at: answered) {
            let apart = (answer.offset - best.offset).magnitude
            if apart > answer.error + best.error(at: answered) + Self.jump {
                (answers, offset, followed) = ([], nil, nil)
            }
        }
        answers.append(answer)
        if answers.count > Self.mostAnswers { answers.removeFirst() }
        follow(at: answered)
    }

    /// When something was captured.
    ///
    /// - Parameter phone: The phone's time.
    /// - Returns: The instant; `nil` while the clock is not known.
    func time(of phone: Nanoseconds) -> ClockTime? {
        guard isKnown, let offset else { return nil }
        return ClockTime(nanoseconds: (phone + offset).count)
    }

    /// How far off such times may be; `nil` while the clock is not known.
    func error(at now: ClockTime) -> Nanoseconds? {
        guard isKnown, let offset, let best = best(at: now) else { return nil }
        return best.error(at: now) + (best.offset - offset).magnitude
    }

    private func best(at now: ClockTime) -> Answer? { answers.min { $0.error(at: now) < $1.error(at: now) } }

    private mutating func follow(at now: ClockTime) {
        guard let target = best(at: now)?.offset else { return }
        // The first answers correct each other at once: no frame is dated by them yet.
        guard let offset, answers.count > Self.fewestAnswers else {
            (self.offset, followed) = (target, now)
            return
        }
        let passed = followed.map { min(max(now - $0, .zero), .seconds(5)) } ?? .zero
        followed = now
        let most = Nanoseconds.seconds(rounding: passed.inSeconds * Self.slew)
        self.offset = offset + min(max(target - offset, -most), most)
    }
}
