public import Media

/// How a connection of a plan turns and mirrors frames.
public struct ConnectionTurning: Sendable, Equatable {
    /// The way in which a connection turns frames.
    public enum Means: String, Sendable, Codable {
        /// The file states the rotation for its player; no pixel is touched.
        case matrix
        /// Pixels are turned once, while the frame is painted into the program.
        case pixels
    }

    /// The way in which the frames are turned.
    public let means: Means
    /// The clockwise rotation of the frames.
    public let rotation: Rotation
    /// Whether the frames are mirrored left to right.
    public let isMirrored: Bool
    /// Whether the angle can change while the session runs; a file keeps one angle from its beginning to its end.
    public let isChangeable: Bool
}

extension SessionPlan {
    /// The rotations that a connection can be given; empty for a connection that carries audio or metadata.
    public func supportedRotations(of connection: PlannedConnection) -> [Rotation] {
        turning(of: connection) == nil ? [] : Rotation.allCases
    }

    /// How a connection turns and mirrors its frames.
    ///
    /// - Returns: `nil` for a connection that carries no frames, or that the plan does not have.
    public func turning(of connection: PlannedConnection) -> ConnectionTurning? {
        guard connections.contains(where: connection.isSameEdge) else { return nil }
        if connection.output == Self.programOwner {
            guard let camera = cameras.first(where: { $0.role == connection.input }) else { return nil }
            let layer = program?.layers.first { $0.role == connection.input }
            return ConnectionTurning(
                means: .pixels, rotation: layer?.rotation ?? camera.rotation,
                isMirrored: layer?.isMirrored ?? camera.isMirrored, isChangeable: true)
        }
        guard connection.output == "cameras/\(connection.input)",
            let track = cameraTracks.first(where: { $0.role == connection.input })
        else { return nil }
        return ConnectionTurning(
            means: .matrix, rotation: track.rotation, isMirrored: false, isChangeable: false)
    }

    /// How the previews of the plan's cameras are to be shown, in the order of the cameras.
    public var previews: [PreviewConnection] { cameras.map(\.preview) }
}
