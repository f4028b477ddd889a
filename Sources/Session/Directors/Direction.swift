internal import SessionFolder

/// What a director has decided: what the timeline is to do, and what is to be told.
struct Direction {
    var commands: [TimelineCommand] = []
    var events: [SessionEvent] = []
}
