internal import Media

extension Manifest {
    /// For how long, all pauses together, the governor had the program stand still.
    ///
    /// The manifest may come from a file and hold any time: a pause that would end before it began counts as none.
    var programPause: Nanoseconds {
        let pause = GovernorMeasure(.programPause, relieves: [])
        var total: Int64 = 0
        var start: Int64?
        for step in governor {
            if step.step == pause.text {
                start = start ?? min(max(step.at_ns, 0), duration_ns)
            } else if step.step == pause.reverseText, let began = start {
                total += max(min(step.at_ns, duration_ns) - began, 0)
                start = nil
            }
        }
        if let start { total += max(duration_ns - start, 0) }
        return Nanoseconds(max(total, 0))
    }
}
