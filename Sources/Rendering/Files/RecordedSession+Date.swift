internal import Containers
internal import Foundation
internal import Interchange
internal import Media

extension RecordedSession {
    /// The date of an instant of the recording, given as time since T0.
    func date(at time: MediaTime) -> Date {
        var components = DateComponents(
            timeZone: .current, year: start.year, month: start.month, day: start.day, hour: start.hour,
            minute: start.minute, second: start.second)
        components.calendar = Calendar(identifier: .gregorian)
        return (components.date ?? Date(timeIntervalSince1970: 0)).addingTimeInterval(
            Nanoseconds(time.nanoseconds).inSeconds)
    }
}
