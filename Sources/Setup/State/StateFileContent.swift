/// The content of a `StateFile`.
package protocol StateFileContent: Equatable, Codable {
    /// The file's name in the state folder.
    static var fileName: String { get }
    /// The content's name in the middle of a sentence: “what is remembered of devices”.
    static var subject: String { get }
    /// The only schema version that is understood.
    static var currentSchema: Int { get }
    /// The schema version of this content.
    var schema: Int { get }

    /// Creates an empty content.
    init()
}
