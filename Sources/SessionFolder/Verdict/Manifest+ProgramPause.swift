internal import Media
internal import Monitoring

extension Manifest {
    /// Total length of the pauses in which the governor stopped the program, at most the length of the recording.
    ///
    /// The manifest may come from a file and hold any time: a pause that would end before it began counts as none.
    var programPause: Nanoseconds {
        let pause = GovernorMeasure(.programPause, relieves: [])
        let end = max(duration_ns, 0)
        func inside(_ time: Int64) -> Int64 { min(max(time, 0), end) }
        var total: Int64 = 0
        // Both are at most `end`, and so no sum overflows.
        func count(from start: Int64, to stop: Int64) {
            total += min(max(stop - start, 0), end - total)
        }
        var start: Int64?
        for step in governor {
            if step.step == pause.text {
                start = start ?? inside(step.at_ns)
            } else if step.step == pause.reverseText, let began = start {
                count(from: began, to: inside(step.at_ns))
                start = nil
            }
        }
        if let start { count(from: start, to: end) }
        return Nanoseconds(total)
    }
}
