import Foundation
import FoundationXML
import MulticamMedia
import Testing

@testable import MulticamPlots

@Suite("SVG drawings")
struct SVGCanvasTests {
    @Test("drawings are well-formed XML with any text")
    func wellFormed() throws {
        var canvas = SVGCanvas(size: FrameSize(width: 100, height: 50))
        canvas.text("<script>\u{1b}[2J\"&amp;' \u{0} ]]>", at: .init(x: 1, y: 2))
        canvas.line(from: .init(x: -1, y: .nan), to: .init(x: .infinity, y: 1e300), color: "\"/><b")
        let document = try XMLDocument(xmlString: canvas.document)
        #expect(document.rootElement()?.elements(forName: "script").isEmpty == true)
        #expect(document.rootElement()?.elements(forName: "text").count == 1)
        #expect(document.rootElement()?.elements(forName: "line").count == 1)
    }
}
