internal import Control
internal import Media
internal import MediaLink

/// Hands what a phone sends to the recorder, on a thread of its own, since a recorder that does not read holds that up. Safe to use from any
/// thread.
final class PhoneSource: Sendable {
    /// What there is to tell of the recorder.
    enum News: Sendable, Equatable {
        /// It takes all that the phone sends.
        case taken
        /// It needs a key frame.
        case wantsKey
        /// It does not take the camera or the microphone, or what they send.
        case problem(String)
        /// Somebody wants controls to have these values, by their names; the number is for the answer.
        case wish(Int, [String: Int64])
    }

    /// How the recorder is reached.
    struct Recorder: Sendable {
        /// The recorder that can be asked now; `nil` for none.
        let process: @Sendable () -> Int32?
        /// Connects to its media socket.
        let connect: @Sendable (Int32) throws(ControlError) -> LocalSocket
    }

    private enum Piece: Sendable {
        case begin(PhoneOffer)
        case frame(DatedPhoneMedia)
        case controls(ToldControls)
        case look
        case leave(because: String)
    }

    private let pieces = BoundedQueue<Piece>(capacity: mostPieces + 64)
    private let waiting = ConditionLock(0)
    private let thread: ConditionLock<MediaThread?> = ConditionLock(nil)

    /// Most bytes that wait for the recorder: a second or so.
    private static let mostWaiting = 16 << 20
    /// Most frames and slices that wait: more may only begin or end the phone.
    private static let mostPieces = 192

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - recorder: How the recorder is reached.
    ///   - tell: Gets news, on that thread.
    init(_ recorder: Recorder, tell: @escaping @Sendable (News) -> Void) {
        let thread = MediaThread(name: "phone") { [pieces, waiting] in
            let delivery = PhoneDelivery(recorder, tell: tell)
            while let piece = pieces.next() {
                switch piece {
                case .begin(let offer): delivery.begin(offer)
                case .frame(let media):
                    waiting.withLock { $0 -= media.bytes.count }
                    delivery.take(media, at: MonotonicClock().now)
                case .controls(let told): delivery.take(told)
                case .look: delivery.look(at: MonotonicClock().now)
                case .leave(let cause): delivery.leave(because: cause)
                }
            }
            delivery.leave(because: "network: the control room has ended")
        }
        self.thread.withLock { $0 = thread }
    }

    /// The phone is there, and is going to send this.
    func begin(_ offer: PhoneOffer) { _ = pieces.offer(.begin(offer)) }

    /// Takes a frame or audio. Never waits: what finds no room is lost.
    func take(_ media: DatedPhoneMedia) {
        let hasRoom = waiting.withLock { waiting in
            guard waiting + media.bytes.count <= Self.mostWaiting, pieces.count < Self.mostPieces else {
                return false
            }
            waiting += media.bytes.count
            return true
        }
        if hasRoom, !pieces.offer(.frame(media)) { waiting.withLock { $0 -= media.bytes.count } }
    }

    /// The phone tells of its controls.
    func take(_ told: ToldControls) { _ = pieces.offer(.controls(told)) }

    /// The phone is away.
    ///
    /// - Parameter cause: Why, as it stands in the recording.
    func leave(because cause: String) { _ = pieces.offer(.leave(because: cause)) }

    /// Has it noted whether frames still come. Called every second or so.
    func look() { if pieces.count < Self.mostPieces { _ = pieces.offer(.look) } }

    /// Ends the thread soon.
    func close() { pieces.finish() }

    /// Ends the thread, and waits for it.
    func join() {
        close()
        thread.withLock { $0 }?.join()
    }
}
