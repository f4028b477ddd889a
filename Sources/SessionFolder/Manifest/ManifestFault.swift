internal import Foundation
internal import Media

/// Why a text is no manifest that can be used: somebody edited it, it is torn, or it is of another version.
public struct ManifestFault: Error, Sendable, Equatable {
    /// Follows “manifest.json”: `is no JSON`, `tells tracks.0.first_ns as a number that cannot be`.
    public let reason: String

    public init(reason: String) { self.reason = reason }

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
