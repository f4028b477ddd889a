/// The sign of life of a conductor, once a second.
struct ConductorSign: Codable, Sendable {
    /// The recording that it conducts.
    var recording: String
    /// Its number.
    var term: Int64
    /// Who it is, for people.
    var conductor: String
}
