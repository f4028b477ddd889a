public import Media

/// How a connection of a plan turns and mirrors frames.
public struct ConnectionTurning: Sendable, Equatable {
    /// What turns them.
    public enum Means: String, Sendable, Codable {
        /// The file says how it is to be shown; no pixel is touched.
        case matrix
        /// Pixels are turned on their way into the frame, once, with the painting.
        case pixels
    }

    public let means: Means
    public let rotation: Rotation
    public let isMirrored: Bool
    /// While the session runs: a file has one angle from its beginning to its end.
    public let isChangeable: Bool
}

extension SessionPlan {
    /// The angles that a connection can be given: none where it carries audio or what is known of frames.
    public func supportedRotations(of connection: PlannedConnection) -> [Rotation] {
        turning(of: connection) == nil ? [] : Rotation.allCases
    }

    /// - Returns: `nil` for a connection that carries no frames, or that the plan does not have.
    public func turning(of connection: PlannedConnection) -> ConnectionTurning? {
        guard connections.contains(connection) else { return nil }
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

    /// How the previews of the plan's cameras are to be shown, in its order.
    public var previews: [PreviewConnection] { cameras.map(\.preview) }
}
