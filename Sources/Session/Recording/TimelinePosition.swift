internal import Media

/// How far a timeline has decided.
struct TimelinePosition {
    /// Time since T0 of the tick that was decided last; zero before the first.
    var time: MediaTime
    /// Index since T0 of the program's next undecided tick; `nil` when there is no program.
    var programTick: Int64?
    /// Index since T0 of the next undecided audio sample, at 48 000 samples per second.
    var audioSample: Int64

    /// The first time since T0 that is not decided yet.
    var undecided: MediaTime { MediaTime(nanoseconds: time.nanoseconds + 1) }
}
