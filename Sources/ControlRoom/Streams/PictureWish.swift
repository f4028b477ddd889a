/// What the address of a picture asks for.
struct PictureWish {
    /// The camera's role; `nil` for the program.
    let role: String?
    /// Whether frames follow one another.
    let isStream: Bool
    let key: StreamKey

    /// Frames per second of a stream.
    private static let rate = 30

    /// Reads an address.
    ///
    /// - Parameters:
    ///   - path: `/api/v1/cameras/ROLE.jpg`, `.mjpg`, or `/api/v1/program.jpg`, `.mjpg`.
    ///   - width: The most columns that are wanted.
    init?(_ path: String, width: Int) {
        isStream = path.hasSuffix(".mjpg")
        guard let end = path.lastIndex(of: ".") else { return nil }
        let name = path[..<end]
        if name == "/api/v1/program" {
            role = nil
        } else if name.hasPrefix("/api/v1/cameras/") {
            role = String(name.dropFirst("/api/v1/cameras/".count))
        } else {
            return nil
        }
        key = .frames(of: role, width: width, rate: Self.rate)
    }
}
