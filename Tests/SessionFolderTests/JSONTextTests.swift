import Foundation
import Testing

@testable import MulticamSessionFolder

@Suite("Non-finite numbers in JSON")
struct JSONTextTests {
    private struct Measured: Codable, Equatable {
        var level: Double
        var peak: Float
    }

    @Test("are written as strings and read back", arguments: [Double.infinity, -.infinity, 0.5])
    func words(level: Double) throws {
        let measured = Measured(level: level, peak: Float(level))
        for data in [JSONText.pretty(measured), Data(JSONText.line(measured).utf8)] {
            #expect(try JSONText.decoder().decode(Measured.self, from: data) == measured)
            _ = try JSONSerialization.jsonObject(with: data)
        }
        #expect(JSONText.line(JSONValue.object(["a": .number(.nan)])) == #"{"a":"nan"}"#)
    }
}
