internal import Media

/// Why a text is no usable manifest: it is torn, was edited, or comes from another version.
public struct ManifestFault: Error, Sendable, Equatable {
    /// The fault in words that follow “manifest.json”: `is no JSON`, `tells a number in tracks.0.first_ns that cannot be`.
    public let reason: String

    /// Creates a fault from words that follow “manifest.json”.
    public init(reason: String) { self.reason = reason }

    /// Takes the first fault from an error of the decoder.
    package init(_ error: any Error) {
        guard let error = error as? DecodingError else {
            reason = "is no JSON"
            return
        }
        switch error {
        case .keyNotFound(let key, let context):
            reason = "lacks \(Self.path(context.codingPath + [key]))"
        case .dataCorrupted(let context) where context.codingPath.isEmpty: reason = "is no JSON"
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            reason =
                context.codingPath.isEmpty
                ? "is damaged or of another version"
                : "has a wrong value in \(Self.path(context.codingPath))"
        @unknown default: reason = "cannot be decoded"
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.map { $0.intValue.map { "\($0)" } ?? $0.stringValue.printable() }.joined(separator: ".")
    }
}
