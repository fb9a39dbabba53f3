/* report_page.js: draws the charts of a page of sparcl report with uPlot, from the numbers in the page. */
(() => {
    'use strict';
    /* As in the SVG: colours that colour-blind people can distinguish (Okabe and Ito 2008), and others. */
    const colours = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#000000', '#999900'];

    /* The points of a curve that have both numbers, by x. */
    const pointsOf = curve => curve.x.map((x, i) => [x, curve.y[i]])
        .filter(([x, y]) => x !== null && y !== null)
        .sort((a, b) => a[0] - b[0]);

    const seriesOf = (name, i) => ({
        label: name,
        stroke: colours[i % colours.length],
        dash: i < colours.length ? undefined : [8, 4],
        width: 2,
        points: {show: true, size: 5},
        spanGaps: true, /* another curve has a point there */
    });

    const draw = figure => {
        const chart = JSON.parse(figure.querySelector('script').textContent);
        const curves = chart.curves.map(curve => ({name: curve.name, points: pointsOf(curve)}))
            .filter(curve => curve.points.length > 0);
        const data = uPlot.join(curves.map(({points}) => [points.map(p => p[0]), points.map(p => p[1])]));
        const options = {
            title: chart.title,
            width: 800,
            height: 360,
            scales: {x: {time: false}},
            axes: [{label: chart.x}, {label: chart.y, size: 80}],
            series: [{label: chart.x}, ...curves.map((curve, i) => seriesOf(curve.name, i))],
        };
        new uPlot(options, data, figure);
    };

    document.querySelectorAll('figure').forEach(draw);
})();
