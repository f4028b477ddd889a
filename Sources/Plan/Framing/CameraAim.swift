internal import Glibc
package import MulticamMedia

/// Decides how a camera with controls for pan, tilt, and zoom moves so that people stay in its picture.
///
/// A value without clocks, like `FramingPolicy`, which chooses the people. The camera turns smoothly, waits until the picture
/// shows the new direction, and then looks again. If nobody is found for a while, it returns to the position that it had at the
/// beginning.
///
/// Pan and tilt are angles in 1/3600 degree; positive values turn right and up (`V4L2_CID_PAN_ABSOLUTE`,
/// `V4L2_CID_TILT_ABSOLUTE`, linux/v4l2-controls.h). `zoom_absolute` is a focal length (UVC 1.5, section 4.2.2.1.11). The angle
/// of view isn't known, and many webcams turn digitally, so that their angles aren't true. The first turns are therefore short;
/// the shift of the faces in the picture then shows how far the camera has turned.
package struct CameraAim: Sendable {
    /// Values of the controls, not rounded to their steps.
    package struct Position: Sendable, Equatable {
        var pan: Double
        var tilt: Double
        /// Zoom factor, at least 1.
        var zoom: Double
    }

    /// A movement of the camera.
    private struct Turn {
        var from: Position
        var to: Position
        var begin: ClockTime
        var duration: Nanoseconds
        /// Places of the faces before the turn.
        var faces: [Int: FramingPolicy.Place]

        var end: ClockTime { begin + duration }

        /// The position at a time, with zero velocity at both ends.
        func position(at time: ClockTime) -> Position {
            let share = min(max((time - begin).inSeconds / max(duration.inSeconds, 1e-3), 0), 1)
            let eased = share * share * (3 - 2 * share)
            func between(_ from: Double, _ to: Double) -> Double { from + (to - from) * eased }
            return Position(
                pan: between(from.pan, to.pan), tilt: between(from.tilt, to.tilt),
                zoom: between(from.zoom, to.zoom))
        }
    }

    private var policy: FramingPolicy
    private let pan: DeviceControl
    private let tilt: DeviceControl
    private let zoom: DeviceControl?
    private let rotation: Rotation
    /// Width of the upright frame divided by its height, in pixels.
    private let frameRatio: Double
    /// The position to which the camera returns if nobody is found.
    package let home: Position
    private let zooms: ClosedRange<Double>
    private var turn: Turn?
    private var position: Position
    /// The values that the camera has, by control.
    private var sent: [String: Int64]
    /// Angle of the picture's height without zoom, in 1/3600 degree, and whether it was measured.
    private var angle: (height: Double, isMeasured: Bool)

    /// Names of the controls, as V4L2 names them.
    private static let (panName, tiltName, zoomName) = ("pan_absolute", "tilt_absolute", "zoom_absolute")
    /// Angle of view of the longer side of a picture that is assumed at first: that of a typical webcam.
    private static let assumedAngle = 60.0 * 3600
    /// Valid measured angles, as multiples of the assumed one.
    private static let angles = 0.1...3.0
    /// Largest distances from the middle, as fractions of the picture, at which the camera rests.
    private static let restZone = 0.1
    /// Relative sizes of the desired part at which the camera doesn't zoom, and the largest change in one turn.
    private static let (restSizes, largestZoom) = (0.75...1.06, 1.3)
    /// The part of the way to the person that one turn covers, before and after the angle was measured.
    private static let (carefulShare, share) = (0.5, 0.9)
    /// Shortest turn in seconds, and mean speeds: in heights of the picture, and in natural logarithms of the zoom factor, per
    /// second.
    private static let (shortestTurn, speed, zoomSpeed) = (0.6, 0.5, 0.25)
    /// Time after a turn until frames show the new position, with the delays of motor, camera, and detection.
    private static let settling = Nanoseconds.milliseconds(400)
    /// Smallest shift of a face, in heights of the picture, from which the angle of view is computed.
    private static let measurableShift = 0.04

    /// Returns whether a camera can be turned: it has writable controls for pan and tilt.
    ///
    /// - Parameter controls: The controls of the camera.
    /// - Returns: Whether the controls are sufficient.
    package static func isPossible(with controls: [DeviceControl]) -> Bool {
        usable(panName, controls) != nil && usable(tiltName, controls) != nil
    }

    private static func usable(_ name: String, _ controls: [DeviceControl]) -> DeviceControl? {
        controls.named(name).flatMap { $0.isReadOnly || $0.minimum >= $0.maximum ? nil : $0 }
    }

    /// Returns whether a control with this name turns or zooms a camera.
    package static func isAimed(by name: String) -> Bool { [panName, tiltName, zoomName].contains(name) }

    /// Creates the value for a camera in its present position; `nil` if the camera can't be turned.
    ///
    /// - Parameters:
    ///   - controls: The controls of the camera with their present values.
    ///   - mode: People that the camera keeps in its picture.
    ///   - frame: Size of the stored frame in pixels.
    ///   - rotation: The clockwise rotation that makes the frame upright.
    ///   - maxZoom: Largest zoom factor, at least 1.
    ///   - home: The position to which the camera returns; `nil` for the present one.
    package init?(
        _ controls: [DeviceControl], mode: FramingMode, frame: FrameSize, rotation: Rotation, maxZoom: Double,
        home: Position? = nil
    ) {
        guard let pan = Self.usable(Self.panName, controls), let tilt = Self.usable(Self.tiltName, controls)
        else { return nil }
        (self.pan, self.tilt, self.rotation) = (pan, tilt, rotation)
        // A range that begins with zero isn't one of focal lengths.
        zoom = Self.usable(Self.zoomName, controls).flatMap { $0.minimum > 0 ? $0 : nil }
        let upright = rotation.swapsSides ? frame.transposed : frame
        frameRatio = Double(upright.width) / Double(max(upright.height, 1))
        let (least, most, value) =
            zoom.map { (Double($0.minimum), Double($0.maximum), Double($0.value)) } ?? (1, 1, 1)
        let factor = max(1, value / least)
        zooms = 1...max(1, min(most / least, max(maxZoom, factor)))
        position = Position(pan: Double(pan.value), tilt: Double(tilt.value), zoom: factor)
        self.home = home ?? position
        sent = [pan, tilt, zoom].compactMap(\.self).reduce(into: [:]) { $0[$1.name] = $1.value }
        angle = (Self.assumedAngle / max(frameRatio, 1), false)
        policy = Self.makePolicy(mode, frameRatio)
    }

    private static func makePolicy(_ mode: FramingMode, _ ratio: Double) -> FramingPolicy {
        FramingPolicy(
            mode: mode, view: FramedView(ratio: ratio, bounds: .whole, minHeight: 0, frameRatio: ratio))
    }

    /// Changes the people that the camera keeps in its picture.
    package mutating func adapt(to mode: FramingMode) {
        if mode != policy.mode { policy = Self.makePolicy(mode, frameRatio) }
    }

    /// Whether the camera is turning.
    package var isTurning: Bool { turn.map { position != $0.to } ?? false }

    /// Decides after an analysis of a frame whether the camera has to turn.
    ///
    /// - Parameters:
    ///   - faces: The faces in the frame.
    ///   - time: Capture time of the frame, on the session clock.
    ///   - now: The time at which a turn begins, on the session clock.
    package mutating func update(_ faces: [DetectedFace], capturedAt time: ClockTime, now: ClockTime) {
        if let turn {
            guard !isTurning, time >= turn.end + Self.settling else { return }
            measure(turn, faces, at: time)
            policy.forgetPlaces()
            self.turn = nil
        }
        switch policy.wish(faces, capturedAt: time, now: now, limit: .greatestFiniteMagnitude) {
        case .hold: break
        case .wide:
            let turned = hypot(home.pan - position.pan, home.tilt - position.tilt)
            begin(to: home, at: now, heights: turned * position.zoom / angle.height)
        case .place(let target): aim(at: target, now)
        }
    }

    private mutating func aim(at target: FramingPolicy.Target, _ now: ClockTime) {
        let (right, down) = (target.x - 0.5, target.y - 0.5)
        var next = position
        if zoom != nil, !Self.restSizes.contains(target.height) {
            let change = min(max(1 / target.height, 1 / Self.largestZoom), Self.largestZoom)
            next.zoom = min(max(position.zoom * change, zooms.lowerBound), zooms.upperBound)
        }
        guard abs(right) > Self.restZone || abs(down) > Self.restZone || next.zoom != position.zoom else {
            return
        }
        let share = angle.isMeasured ? Self.share : Self.carefulShare
        let heights = (
            right: share * right * frameRatio + target.velocity * frameRatio * Self.shortestTurn,
            up: -share * down
        )
        let scale = angle.height / position.zoom
        let (panned, tilted) = rotation.cameraAxes(right: heights.right * scale, up: heights.up * scale)
        next.pan = min(max(position.pan + panned, Double(pan.minimum)), Double(pan.maximum))
        next.tilt = min(max(position.tilt + tilted, Double(tilt.minimum)), Double(tilt.maximum))
        begin(
            to: next, at: now, heights: hypot(heights.right, heights.up)
        )
    }

    /// Begins a turn unless the controls would keep their values.
    private mutating func begin(to next: Position, at now: ClockTime, heights: Double) {
        guard values(at: next) != sent else { return }
        let zooming = abs(next.zoom / position.zoom - 1)
        let seconds = max(Self.shortestTurn, heights / Self.speed, zooming / Self.zoomSpeed)
        turn = Turn(
            from: position, to: next, begin: now, duration: .seconds(rounding: seconds),
            faces: policy.places)
    }

    /// Measures the angle of view from the shift of the faces during a turn.
    private mutating func measure(_ turn: Turn, _ faces: [DetectedFace], at time: ClockTime) {
        guard abs(turn.to.zoom / turn.from.zoom - 1) < 0.02 else { return }
        let (right, up) = rotation.uprightAxes(
            pan: turn.to.pan - turn.from.pan, tilt: turn.to.tilt - turn.from.tilt)
        for face in faces {
            guard let before = turn.faces[face.id] else { continue }
            // People move, too.
            let seconds = (time - before.time).inSeconds
            let shifts = (
                x: (before.x + before.velocityX * seconds - face.box.x - face.box.width / 2) * frameRatio,
                y: face.box.y + face.box.height / 2 - before.y - before.velocityY * seconds
            )
            let (turned, shift) = abs(right) > abs(up) ? (right, shifts.x) : (up, shifts.y)
            guard abs(shift) >= Self.measurableShift, turned / shift > 0 else { continue }
            let measured = turned / shift * turn.to.zoom
            let assumed = Self.assumedAngle / max(frameRatio, 1)
            // People change their speed, so one turn isn't enough.
            let mixed = angle.isMeasured ? (angle.height + measured) / 2 : measured
            angle = (
                min(max(mixed, assumed * Self.angles.lowerBound), assumed * Self.angles.upperBound), true
            )
            return
        }
    }

    /// Returns the controls to set at a time, which have changed since the last call. Called several times per second while the
    /// camera is turning.
    package mutating func step(at now: ClockTime) -> [ControlRequest] {
        guard let turn else { return [] }
        position = now >= turn.end ? turn.to : turn.position(at: now)
        let changed = values(at: position).filter { sent[$0.key] != $0.value }
        sent.merge(changed) { _, new in new }
        return changed.sorted { $0.key < $1.key }.map {
            ControlRequest(name: $0.key, value: $0.value, origin: .framing)
        }
    }

    private func values(at position: Position) -> [String: Int64] {
        var values = [
            pan.name: pan.nearest(to: Int64(rounding: position.pan)),
            tilt.name: tilt.nearest(to: Int64(rounding: position.tilt)),
        ]
        if let zoom {
            values[zoom.name] = zoom.nearest(to: Int64(rounding: position.zoom * Double(zoom.minimum)))
        }
        return values
    }
}

extension Rotation {
    /// Returns the axes of a camera for a direction in its upright picture. A camera mounted sideways must tilt to look left or
    /// right. This rotation makes the camera's frames upright.
    func cameraAxes(right: Double, up: Double) -> (pan: Double, tilt: Double) {
        switch self {
        case .none: (right, up)
        case .quarter: (-up, right)
        case .half: (-right, -up)
        case .threeQuarters: (up, -right)
        }
    }

    /// Returns the direction in the upright picture for the axes of a camera; the inverse of `cameraAxes`.
    func uprightAxes(pan: Double, tilt: Double) -> (right: Double, up: Double) {
        switch self {
        case .none: (pan, tilt)
        case .quarter: (tilt, -pan)
        case .half: (-pan, -tilt)
        case .threeQuarters: (-tilt, pan)
        }
    }
}
