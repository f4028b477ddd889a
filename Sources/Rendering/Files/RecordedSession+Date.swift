internal import Containers
internal import FoundationEssentials
internal import Interchange
internal import Media

extension RecordedSession {
    /// The date of an instant of the recording, given as time since T0.
    func date(at time: MediaTime) -> Date {
        // Whole seconds, as files have them.
        Date(timeIntervalSince1970: startSince1970.inSeconds.rounded(.down)).addingTimeInterval(
            Nanoseconds(time.nanoseconds).inSeconds)
    }
}
