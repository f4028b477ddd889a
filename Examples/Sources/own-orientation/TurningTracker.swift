import Foundation
import MulticamKit

/// A source of the computer's orientation: here a timer, elsewhere a sensor of a robot's arm or of a phone that holds the camera.
final class TurningTracker: OrientationTracker {
    private let state = Guarded()

    /// What several threads share, behind a lock.
    private final class Guarded: @unchecked Sendable {
        private let lock = NSLock()
        private var turn = MachineOrientation.rotated(.none)
        private var observers: [UUID: @Sendable (MachineOrientation) -> Void] = [:]

        var current: MachineOrientation { lock.withLock { turn } }

        func set(_ turn: MachineOrientation) {
            lock.withLock {
                self.turn = turn
                for observer in observers.values { observer(turn) }
            }
        }

        func add(_ observer: @escaping @Sendable (MachineOrientation) -> Void) -> UUID {
            lock.withLock {
                let id = UUID()
                observers[id] = observer
                observer(turn)
                return id
            }
        }

        func remove(_ id: UUID) { lock.withLock { observers[id] = nil } }
    }

    var orientation: MachineOrientation { state.current }

    func observe(_ observer: @escaping @Sendable (MachineOrientation) -> Void) -> OrientationObservation {
        let id = state.add(observer)
        return OrientationObservation { [state] in state.remove(id) }
    }

    /// Tells all observers that the computer is turned so far clockwise.
    func turn(to rotation: Rotation) { state.set(.rotated(rotation)) }
}
