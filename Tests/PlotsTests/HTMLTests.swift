import Foundation
import FoundationXML
import MulticamMedia
import Testing

@testable import MulticamPlots

@Suite("HTML pages")
struct HTMLTests {
    private static let hostile = [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)",
        "&lt;b&gt; &amp; ]]>",
        "\u{1b}[2J\u{0}\u{202e}evil", "</td></tr></table></style><svg/onload=alert(1)>",
    ]

    /// Returns the page without its document type, which an XML parser would look up.
    private func parsed(_ page: String) throws -> XMLDocument {
        let body = try #require(page.split(separator: "\n", maxSplits: 1).last)
        return try XMLDocument(xmlString: String(body))
    }

    @Test(
        "Every device name is escaped, as text, attribute, and title, and in a drawing",
        arguments: hostile)
    func escaped(_ name: String) throws {
        var canvas = SVGCanvas(size: FrameSize(width: 10, height: 10))
        canvas.text(name, at: .init(x: 0, y: 0))
        let page = HTML.page(
            title: name, style: "p { color: red; }",
            body: [
                .element("p", ["title": name, "class": name], name), .drawing(canvas, label: name),
                .element("div", [:], [.text(name), .element("br")]),
            ])
        let document = try parsed(page)
        let body = try #require(document.rootElement()?.elements(forName: "body").first)
        #expect(body.children?.compactMap(\.name) == ["p", "svg", "div"])
        let paragraph = try #require(body.elements(forName: "p").first)
        #expect(paragraph.stringValue == name.printable())
        #expect(paragraph.attributes?.count == 2)
        #expect(paragraph.attribute(forName: "title")?.stringValue == name.printable())
        #expect(!page.contains("<script") && !page.contains("<img"))
        #expect(page.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
    }

    @Test("Steps are stacked, and a line is interrupted at missing values")
    func course() throws {
        var canvas = SVGCanvas(size: FrameSize(width: 100, height: 100))
        let area = PlotArea(at: .init(x: 0, y: 0), width: 100, height: 100, x: 0...2, y: 0...10)
        area.drawSteps(
            on: &canvas, times: [1, 2],
            layers: [(values: [2, 4], color: "red"), (values: [1, 0], color: "blue")])
        area.drawLine(on: &canvas, times: [0, 0.5, 1, 1.5, 2], values: [1, 2, nil, 3, 4], color: "green")
        let drawing = canvas.document
        // The lower layer begins at the floor, the upper one at the lower layer's steps.
        #expect(
            drawing.contains("points=\"0,80 50,80 50,60 100,60 100,100 50,100 50,100 0,100\" fill=\"red\""))
        #expect(drawing.contains("points=\"0,70 50,70 50,60 100,60 100,60 50,60 50,80 0,80\" fill=\"blue\""))
        #expect(drawing.components(separatedBy: "<polyline").count == 3)
    }
}
