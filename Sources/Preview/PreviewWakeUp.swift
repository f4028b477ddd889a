internal import CSDL
internal import Media

/// An event of SDL that tells the window to look again. Any thread may wake; until the window has looked, once is enough.
final class PreviewWakeUp: Sendable {
    /// SDL's number of the event.
    let type: UInt32
    private let isUnderWay = ConditionLock(false)

    init() { type = SDL_RegisterEvents(1) }

    func wake() {
        let isFirst = isUnderWay.withLock { isUnderWay in
            defer { isUnderWay = true }
            return !isUnderWay
        }
        guard isFirst else { return }
        var event = SDL_Event()
        event.type = type
        if SDL_PushEvent(&event) != 1 { forget() }
    }

    /// The window looks now.
    func forget() { isUnderWay.withLock { $0 = false } }
}
