public import MulticamMedia

/// How a camera is mounted: separately, or built into the computer and rotating with the computer.
package struct CameraMounting: Sendable, Equatable {
    /// Whether a camera rotates with the computer, and in which direction.
    package enum Bearing: Sendable, Equatable {
        /// The camera is mounted separately and doesn't rotate with the computer.
        case separate
        /// The camera is built into the computer and faces away from the user. Seen from behind the camera, the camera
        /// and the computer rotate in the same direction.
        case back
        /// The camera is built into the computer and faces the user. If the computer rotates clockwise, the
        /// camera rotates counterclockwise as seen from behind the camera.
        case front
    }

    /// Whether the camera rotates with the computer, and in which direction.
    package var bearing: Bearing
    /// The clockwise rotation that makes the camera's frames upright while the computer is held in its usual
    /// orientation.
    package var mounting: Rotation

    /// Creates a mounting from its parts.
    package init(bearing: Bearing, mounting: Rotation = .none) {
        self.bearing = bearing
        self.mounting = mounting
    }

    /// Creates the mounting of a camera.
    ///
    /// - Parameters:
    ///   - camera: The camera. A built-in camera rotates with the computer; if its position is unknown, it is
    ///     treated as facing the user. All other cameras count as mounted separately, except synthetic
    ///     cameras with a position.
    ///   - fixed: A fixed angle set by the user; `nil` to derive it from the camera.
    package init(_ camera: CaptureDevice, fixed: Rotation? = nil) {
        guard fixed == nil, camera.rotatesWithComputer else {
            self.init(bearing: .separate, mounting: fixed ?? camera.mounting)
            return
        }
        self.init(bearing: camera.position == .back ? .back : .front, mounting: camera.mounting)
    }

    /// Returns the rotation for files and stills.
    ///
    /// - Parameter turn: The computer's clockwise rotation.
    /// - Returns: The clockwise rotation that makes the camera's frames level.
    package func captureAngle(forComputerRotation turn: Rotation) -> Rotation {
        switch bearing {
        case .separate: mounting
        case .back: mounting + turn
        case .front: mounting - turn
        }
    }

    /// Returns the rotations for files and for a preview on a surface that may itself be rotated. Mirroring reverses
    /// the rotation of the preview.
    ///
    /// - Parameters:
    ///   - turn: The computer's clockwise rotation.
    ///   - surface: The surface that shows the preview.
    ///   - isMirrored: Whether the preview is mirrored left to right after it is rotated.
    /// - Returns: The clockwise rotations for files and for that surface.
    package func angles(
        forComputerRotation turn: Rotation, on surface: PreviewSurface, isMirrored: Bool
    ) -> RotationAngles {
        let capture = captureAngle(forComputerRotation: turn)
        let leaning = surface.rotation(forComputerRotation: turn)
        return RotationAngles(capture: capture, preview: isMirrored ? capture + leaning : capture - leaning)
    }
}

extension CaptureDevice {
    /// Whether the camera is built into the computer, or simulates a built-in camera.
    public var rotatesWithComputer: Bool {
        switch deviceType {
        case .builtIn: true
        case .virtual: position != .unspecified
        case .external, .file, .network, .screen, .microphone: false
        }
    }
}

/// Estimates the orientation of the computer from accelerometer readings.
///
/// The orientation changes only if gravity is more than 60° away from the current orientation and two
/// consecutive readings agree on the new one. The 60° threshold prevents rapid changes around 45°. While the
/// computer is lying flat or is moving too fast for gravity to be measured, the orientation doesn't change.
package struct RotationEstimate: Sendable, Equatable {
    /// The computer's clockwise rotation; `nil` before the first conclusive reading.
    package private(set) var turn: Rotation?
    /// The rotation that the previous reading indicates, if it differs from `turn`.
    private var candidate: Rotation?

    /// The sine of 25°. Readings are ignored if the computer is tilted less than 25° from horizontal, because
    /// no side is clearly up.
    private static let leastSlope = 0.42
    /// Maximum deviation from gravity caused by a computer held in steady hands, as a fraction of gravity.
    private static let maxGravityDeviation = 0.3
    /// The cosine of 60°. The rotation changes only if gravity is more than 60° away from the current
    /// orientation.
    private static let switchThreshold = 0.5

    /// Creates an estimate that hasn't received any readings.
    package init() {}

    /// Adds an accelerometer reading in m/s².
    ///
    /// - Parameter felt: The acceleration in m/s². About five readings per second are expected.
    package mutating func add(_ felt: Acceleration) {
        let magnitude = felt.magnitude
        let slope = (felt.x * felt.x + felt.y * felt.y).squareRoot()
        guard abs(magnitude - Acceleration.gravity) <= Self.maxGravityDeviation * Acceleration.gravity,
            slope >= Self.leastSlope * magnitude
        else {
            candidate = nil
            return
        }
        guard let turn else {
            turn = Self.nearest(to: felt)
            return
        }
        guard Self.share(of: felt, at: turn) < Self.switchThreshold * slope else {
            candidate = nil
            return
        }
        let nearest = Self.nearest(to: felt)
        if candidate == nearest { self.turn = nearest }
        candidate = candidate == nearest ? nil : nearest
    }

    private static func nearest(to felt: Acceleration) -> Rotation {
        Rotation.allCases.max { share(of: felt, at: $0) < share(of: felt, at: $1) } ?? .none
    }

    /// Returns the component of the acceleration along the direction of gravity for a rotation.
    private static func share(of felt: Acceleration, at turn: Rotation) -> Double {
        switch turn {
        case .none: -felt.y
        case .quarter: felt.x
        case .half: felt.y
        case .threeQuarters: -felt.x
        }
    }
}

/// The clockwise rotations that make a camera's frames level, in files and in a preview.
public struct RotationAngles: Sendable, Equatable {
    /// Rotation that makes files and stills upright. This rotation depends only on the direction of gravity.
    public var capture: Rotation
    /// Rotation for a preview, in the coordinates of the surface that shows it.
    public var preview: Rotation

    /// Creates a pair of rotations.
    package init(capture: Rotation, preview: Rotation) {
        self.capture = capture
        self.preview = preview
    }
}

/// How a camera's rotation was determined.
package enum RotationSource: String, Sendable, Codable {
    /// The profile sets the rotation.
    case profile
    /// The rotation is derived from the camera's mounting, without an orientation sensor.
    case mounting
    /// The rotation is derived from the camera's mounting and from the computer's orientation sensor.
    case sensor
}

/// How the surface that shows a preview rotates with the computer.
public enum PreviewSurface: Sendable, Equatable {
    /// A surface that stays upright regardless of the computer's orientation: a monitor on a desk, or a desktop that
    /// rotates with gravity.
    case upright
    /// A surface that is fixed to the computer's screen, rotated clockwise by this angle from the screen's usual top.
    /// On a tablet whose usual top is a short side, a surface locked to portrait is `.locked(.none)`.
    case locked(Rotation)
    /// A monitor that is mounted at this clockwise rotation, independent of the computer.
    case mounted(Rotation)

    /// Returns the clockwise rotation of the surface relative to gravity, given the clockwise rotation of the
    /// computer.
    package func rotation(forComputerRotation turn: Rotation) -> Rotation {
        switch self {
        case .upright: .none
        case .locked(let place): turn + place
        case .mounted(let place): place
        }
    }
}
