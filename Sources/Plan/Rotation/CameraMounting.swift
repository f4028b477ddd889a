public import Media

/// How a camera stands in the world: on its own, or as a part of the computer, with which it turns. Pure.
public struct CameraMounting: Sendable, Equatable {
    /// Whether a camera turns with the computer, and in which sense.
    public enum Bearing: Sendable, Equatable {
        /// The camera has a stand of its own and does not turn with the computer.
        case own
        /// The camera is in the computer and looks away from its user: seen towards the scene both turn the same way.
        case back
        /// The camera is in the computer and looks at its user: a clockwise turn of one is counterclockwise for the other.
        case front
    }

    /// Whether the camera turns with the computer, and in which sense.
    public var bearing: Bearing
    /// The clockwise rotation that makes its frames upright while the computer is held as it usually is.
    public var mounting: Rotation

    /// Creates a mounting from its parts.
    public init(bearing: Bearing, mounting: Rotation = .none) {
        self.bearing = bearing
        self.mounting = mounting
    }

    /// Creates the mounting of a device.
    ///
    /// - Parameters:
    ///   - camera: The device. A built-in camera turns with the computer, as one that looks at its user where its position is
    ///     unspecified. All others stand on their own, except for a synthetic one with a position.
    ///   - fixed: An angle that a person has set, which nothing changes; `nil` follows the camera.
    public init(_ camera: CaptureDevice, fixed: Rotation? = nil) {
        guard fixed == nil, camera.turnsWithComputer else {
            self.init(bearing: .own, mounting: fixed ?? camera.mounting)
            return
        }
        self.init(bearing: camera.position == .back ? .back : .front, mounting: camera.mounting)
    }

    /// The rotation for files and stills.
    ///
    /// - Parameter turn: The computer's clockwise turn.
    /// - Returns: The clockwise rotation that makes the camera's frames upright in the world.
    public func captureAngle(whileComputerIs turn: Rotation) -> Rotation {
        switch bearing {
        case .own: mounting
        case .back: mounting + turn
        case .front: mounting - turn
        }
    }

    /// The rotations for files and for a preview on a surface that may itself be turned. A mirrored preview leans the other way.
    ///
    /// - Parameters:
    ///   - turn: The computer's clockwise turn.
    ///   - surface: The surface that shows the preview.
    ///   - isMirrored: Whether the preview is mirrored left to right after it was turned.
    /// - Returns: The clockwise rotations for files and for that surface.
    public func angles(
        whileComputerIs turn: Rotation, on surface: PreviewSurface, isMirrored: Bool
    ) -> RotationAngles {
        let capture = captureAngle(whileComputerIs: turn)
        let leaning = surface.turn(whileComputerIs: turn)
        return RotationAngles(capture: capture, preview: isMirrored ? capture + leaning : capture - leaning)
    }
}

extension CaptureDevice {
    /// Whether the camera is a part of the computer, or pretends to be.
    public var turnsWithComputer: Bool {
        switch deviceType {
        case .builtIn: true
        case .virtual: position != .unspecified
        case .external, .file, .network, .screen, .microphone: false
        }
    }
}
