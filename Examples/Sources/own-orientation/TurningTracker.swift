import Foundation
import MulticamKit

/// A source of the computer's orientation. This example sets the orientation after a delay; a real program could read the
/// sensor of a robot arm or a phone.
final class TurningTracker: OrientationTracker {
    private let state = Guarded()

    /// State shared by several threads, protected by a lock.
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

    /// Notifies all observers of the clockwise rotation of the computer.
    func turn(to rotation: Rotation) { state.set(.rotated(rotation)) }
}
