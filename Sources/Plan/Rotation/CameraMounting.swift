public import Media

/// How a camera stands in the world: on its own, or as a part of the computer, with which it turns. Pure.
public struct CameraMounting: Sendable, Equatable {
    public enum Bearing: Sendable, Equatable {
        /// On a stand of its own: the computer may be turned as it likes.
        case own
        /// In the computer, looking away from who looks at the screen: seen towards the scene both turn the same way.
        case back
        /// In the computer, looking at who looks at the screen: what is clockwise for the one is counterclockwise for the other.
        case front
    }

    public var bearing: Bearing
    /// Turns its frames clockwise to be upright while the computer is held as it usually is.
    public var mounting: Rotation

    public init(bearing: Bearing, mounting: Rotation = .none) {
        self.bearing = bearing
        self.mounting = mounting
    }

    /// - Parameters:
    ///   - camera: A built-in one turns with the computer: as a camera that looks at its user, as in most laptops, where nobody
    ///     has said its position. All others stand on their own, but for a synthetic one with a position.
    ///   - fixed: An angle that a person has set, which nothing changes; `nil` follows the camera.
    public init(_ camera: CaptureDevice, fixed: Rotation? = nil) {
        guard fixed == nil, camera.turnsWithComputer else {
            self.init(bearing: .own, mounting: fixed ?? camera.mounting)
            return
        }
        self.init(bearing: camera.position == .back ? .back : .front, mounting: camera.mounting)
    }

    /// - Parameter turn: Of the computer, clockwise.
    /// - Returns: Turns the camera's frames clockwise to be upright in the world.
    public func captureAngle(whileComputerIs turn: Rotation) -> Rotation {
        switch bearing {
        case .own: mounting
        case .back: mounting + turn
        case .front: mounting - turn
        }
    }

    /// For a surface that is itself turned: mirrored left to right after it was turned, a frame leans the other way.
    ///
    /// - Parameters:
    ///   - turn: Of the computer, clockwise.
    ///   - surface: That shows the preview.
    ///   - isMirrored: Whether it shows it as a mirror does.
    /// - Returns: For files, and for that surface.
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
